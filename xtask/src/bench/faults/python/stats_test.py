from shop.stats import *


# == mean
def test_mean():
    assert mean([1, 2, 6]) == 3


def test_mean_nothing():
    assert mean([]) == 0


# == median
def test_median_odd():
    assert median([5, 1, 3]) == 3


def test_median_even():
    assert median([4, 1, 3, 2]) == 2.5


# == spread
def test_spread():
    assert spread([4, 9, 2]) == 7


# == clamp
def test_clamp_low():
    assert clamp(1, 2, 5) == 2


def test_clamp_high():
    assert clamp(9, 2, 5) == 5


def test_clamp_inside():
    assert clamp(3, 2, 5) == 3


# == histogram
def test_histogram():
    assert histogram([1, 3, 11, 12, 25], 10) == {0: 2, 10: 2, 20: 1}


# == moving
def test_moving():
    assert moving([1, 3, 5, 7], 2) == [2, 4, 6]


def test_moving_short():
    assert moving([1], 2) == []


# == grade
def test_grade_a():
    assert grade(45, 50) == "A"


def test_grade_b():
    assert grade(75, 100) == "B"
    assert grade(89, 100) == "B"


def test_grade_c():
    assert grade(50, 100) == "C"


def test_grade_f():
    assert grade(49, 100) == "F"
    assert grade(-5, 100) == "F"


# == summary
def test_summary_even():
    assert summary([1, 2, 3]) == {"mean": 2, "range": 2, "label": "even"}


def test_summary_high():
    assert summary([1, 1, 10])["label"] == "high"


def test_summary_low():
    assert summary([1, 10, 10])["label"] == "low"
