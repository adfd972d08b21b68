"""Everything that is secret here, written in every way that programs write it."""

import base64
import html
import json
import pathlib
import re
import shlex
from urllib.parse import quote, quote_plus

VALUES = json.loads(pathlib.Path("values.json").read_text())


def coded(data):
    return base64.b64encode(data).decode()


def spellings(value):
    """What is printed, and what of that nobody may keep."""
    raw = value.encode()
    whole = [
        value,
        repr(value)[1:-1],
        repr(raw)[2:-1],
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(value))[3:-3],
        html.escape(value),
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        re.sub("%..", lambda found: found.group().lower(), quote(value, safe="")),
        coded(raw),
        base64.urlsafe_b64encode(raw).decode(),
        raw.hex(),
        raw.hex().upper(),
    ]
    yield from ((it, it.strip("=")) for it in whole)
    yield shlex.quote(value), shlex.quote(value).strip("'")
    for before, own in [(b"me:", 4), (b"x", 2), (b"xy", 3)]:
        yield coded(before + raw), coded(before + raw)[own:-4]


def everything():
    for value in VALUES["anywhere"]:
        yield from spellings(value)
        for line in value.splitlines():
            if len(line) > 12 and "-----" not in line:
                yield "E   " + line, line
    for name, value in VALUES["named"]:
        for text in [
            f"{name}={value}",
            f"{name}: {value}",
            f'{name}="{value}"',
            json.dumps({name: value}),
            json.dumps(json.dumps({name: value})),
            repr({name: value}),
        ]:
            yield text, value
    for value in VALUES["words"]:
        yield f"it is {value}, '{value}'", value
    yield from VALUES["forms"]


def say():
    for printed, _ in everything():
        print("said", printed, flush=True)
    for line in VALUES["kept"]:
        print(line, flush=True)
