# renames: text=source, parts=pieces, line=row
VOWELS = "aeiou"


# == slug
def slug(text):
    kept = []
    for letter in text.lower():
        if letter.isalnum():
            kept.append(letter)
        elif kept and kept[-1] != "-":
            kept.append("-")
    return "".join(kept).strip("-")


# == wrap
def wrap(text, width):
    lines = []
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        elif line:
            line = line + " " + word
        else:
            line = word
    if line:
        lines.append(line)
    return lines


# == plural
def plural(word, count):
    if count == 1:
        return word
    if word.endswith("y") and word[-2] not in VOWELS:
        return word[:-1] + "ies"
    if word.endswith("s") or word.endswith("x"):
        return word + "es"
    return word + "s"


# == initials
def initials(name):
    parts = name.split()
    letters = [part[0].upper() for part in parts if part]
    if len(letters) > 3:
        letters = [letters[0], letters[-1]]
    return ".".join(letters)


# == shorten
def shorten(text, limit):
    if len(text) <= limit:
        return text
    room = limit - 3
    cut = text[:room]
    space = cut.rfind(" ")
    if space > 0:
        cut = cut[:space]
    return cut + "..."


# == headline
def headline(text, count):
    title = shorten(text.strip(), 20)
    noun = plural("entry", count)
    return f"{title} ({count} {noun})"
