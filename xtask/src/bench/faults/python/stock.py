# renames: amount=quantity, found=match, text=spec
# == Stock
class Stock:
    def __init__(self, limit):
        self.limit = limit
        self.items = {}
        self.log = []

    def add(self, name, amount):
        if amount <= 0:
            raise ValueError("nothing to add")
        space = self.limit - self.count()
        taken = min(amount, space)
        self.items[name] = self.items.get(name, 0) + taken
        self.log.append(("add", name, taken))
        return taken

    def take(self, name, amount):
        there = self.items.get(name, 0)
        if there < amount:
            return False
        self.items[name] = there - amount
        if self.items[name] == 0:
            del self.items[name]
        self.log.append(("take", name, amount))
        return True

    def count(self):
        return sum(self.items.values())


# == find
def find(stock, prefix):
    found = []
    for name in sorted(stock.items):
        if name.startswith(prefix):
            found.append((name, stock.items[name]))
    return found


# == order
def order(text):
    wanted = []
    for part in text.split(","):
        name, _, amount = part.strip().partition("*")
        wanted.append((name, int(amount or 1)))
    return wanted


# == fulfil
def fulfil(stock, text):
    missing = []
    for name, amount in order(text):
        if not stock.take(name, amount):
            missing.append(name)
    return missing


# == reorder
def reorder(stock, least):
    needed = {}
    for name, there in stock.items.items():
        if there < least:
            needed[name] = least * 2 - there
    return needed
