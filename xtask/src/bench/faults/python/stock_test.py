import pytest

from shop.stock import *


def filled():
    stock = Stock(20)
    stock.add("pen", 5)
    stock.add("pad", 2)
    return stock


# == Stock
def test_add():
    stock = Stock(10)
    assert stock.add("pen", 4) == 4
    assert stock.items == {"pen": 4}


def test_add_twice():
    stock = Stock(10)
    stock.add("pen", 4)
    stock.add("pen", 1)
    assert stock.items == {"pen": 5}


def test_add_full():
    stock = Stock(10)
    stock.add("pen", 8)
    assert stock.add("pad", 5) == 2


def test_add_nothing():
    with pytest.raises(ValueError):
        Stock(10).add("pen", 0)


def test_take():
    stock = filled()
    assert stock.take("pen", 2)
    assert stock.items["pen"] == 3


def test_take_all():
    stock = filled()
    assert stock.take("pad", 2)
    assert "pad" not in stock.items


def test_take_too_many():
    assert not filled().take("pad", 3)


def test_log():
    stock = filled()
    stock.take("pen", 1)
    assert stock.log[-1] == ("take", "pen", 1)
    assert stock.log[0] == ("add", "pen", 5)


# == find
def test_find():
    assert find(filled(), "pa") == [("pad", 2)]


def test_find_all():
    assert find(filled(), "p") == [("pad", 2), ("pen", 5)]


# == order
def test_order():
    assert order("pen*3, pad") == [("pen", 3), ("pad", 1)]


# == fulfil
def test_fulfil():
    stock = filled()
    assert fulfil(stock, "pen*2,pad*2") == []
    assert stock.count() == 3


def test_fulfil_missing():
    assert fulfil(filled(), "pen,cup*2") == ["cup"]


# == reorder
def test_reorder():
    assert reorder(filled(), 3) == {"pad": 4}


def test_reorder_enough():
    assert reorder(filled(), 2) == {}
