from shop.words import *


# == slug
def test_slug():
    assert slug("Hello World") == "hello-world"


def test_slug_many_signs():
    assert slug("a -- b!") == "a-b"


def test_slug_begin():
    assert slug("!x") == "x"


# == wrap
def test_wrap_short():
    assert wrap("a b", 10) == ["a b"]


def test_wrap_long():
    assert wrap("aaa bbb ccc", 7) == ["aaa bbb", "ccc"]


def test_wrap_exact():
    assert wrap("aaa bbb", 6) == ["aaa", "bbb"]


def test_wrap_nothing():
    assert wrap("", 5) == []


# == plural
def test_plural_one():
    assert plural("day", 1) == "day"


def test_plural_y():
    assert plural("entry", 2) == "entries"
    assert plural("day", 2) == "days"


def test_plural_s():
    assert plural("bus", 2) == "buses"
    assert plural("box", 0) == "boxes"


def test_plural_plain():
    assert plural("cat", 3) == "cats"


# == initials
def test_initials():
    assert initials("ada lovelace") == "A.L"


def test_initials_three():
    assert initials("a b c") == "A.B.C"


def test_initials_many():
    assert initials("a b c d") == "A.D"


# == shorten
def test_shorten_fits():
    assert shorten("abc", 3) == "abc"


def test_shorten_cut():
    assert shorten("hello big world", 13) == "hello big..."


def test_shorten_word():
    assert shorten("abcdefghij", 8) == "abcde..."


# == headline
def test_headline():
    assert headline(" News ", 1) == "News (1 entry)"


def test_headline_many():
    assert headline("A very long headline indeed", 2) == "A very long... (2 entries)"
