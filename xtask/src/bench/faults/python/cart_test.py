from shop.cart import *


# == line_total
def test_line_total():
    assert line_total({"quantity": 3, "price": 4}) == 12


def test_line_total_many():
    assert line_total({"quantity": 10, "price": 4}) == 38
    assert line_total({"quantity": 9, "price": 4}) == 36


# == subtotal_of
def test_subtotal_of_nothing():
    assert subtotal_of([]) == 0


def test_subtotal_of_lines():
    lines = [{"quantity": 1, "price": 5}, {"quantity": 2, "price": 3}]
    assert subtotal_of(lines) == 11


def test_subtotal_without_gifts():
    lines = [{"quantity": 1, "price": 5, "gift": True}, {"quantity": 2, "price": 3}]
    assert subtotal_of(lines) == 6


# == discount
def test_discount_ten():
    assert discount(80, "TEN") == 8


def test_discount_half():
    assert discount(60, "HALF") == 30
    assert discount(50, "HALF") == 0


def test_discount_limit():
    assert discount(500, "TEN") == 40


def test_discount_none():
    assert discount(80, "") == 0


# == shipping
def test_shipping_free():
    assert shipping(100, 5) == 0


def test_shipping_light():
    assert shipping(20, 1) == 4


def test_shipping_weight():
    assert shipping(99, 5) == 13


def test_shipping_heavy():
    assert shipping(20, 21) == 122
    assert shipping(20, 20) == 58


# == to_pay
def test_to_pay():
    lines = [{"quantity": 2, "price": 10}]
    assert to_pay(lines, "TEN", 3) == 30.0


def test_to_pay_free():
    lines = [{"quantity": 20, "price": 10}]
    assert to_pay(lines, "", 3) == 228.0
