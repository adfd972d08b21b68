"""Prices and what takes from them."""

RATES = {
    "book": 7,
    "toy": 19,
}


def total(
    prices,
    rate=0,
):
    result = sum(
        price
        for price in prices
    )
    if rate:
        result += (
            result * rate
            // 100
        )
    return result


def cheapest(prices):
    if not prices:
        raise ValueError("no prices")
    best = prices[0]
    for price in prices[1:]:
        if price < best:
            best = price
    return best


def debug(prices):  # pragma: no cover
    print(prices)


class Basket:
    """A few prices."""

    def __init__(self):
        self.prices = []

    def add(self, price):
        self.prices.append(price)
        return self

    def clear(self):
        self.prices = []
