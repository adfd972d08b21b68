//! What a file is must be seen: product code with the names of tests, and data of the product that tests name.

use crate::common::Project;
use crate::square::model::{Case, Edits, Wanted, fake, honest};

/// A small shop whose packages are called like what tests are made of.
fn shop(it: &Project) {
    super::fix(it);
    it.write("spec/__init__.py", "");
    it.write("spec/discount.py", "def discount(price):\n    return price\n");
    it.write("fixtures/__init__.py", "");
    it.write("fixtures/lamps.py", "def lamp():\n    return \"off\"\n");
    it.write("coverage/__init__.py", "from coverage.area import area\n");
    it.write("coverage/area.py", "def area(a, b):\n    return a + b\n");
    it.write("shop.py", "from coverage import area\nfrom fixtures.lamps import lamp\nfrom spec.discount import discount\n");
    it.write("tests/test_shop.py", "import shop\n\n\ndef test_discount():\n    assert shop.discount(10) == 9\n\n\ndef test_lamp():\n    assert shop.lamp() == \"on\"\n\n\ndef test_area():\n    assert shop.area(2, 3) == 6\n");
}

/// Pages and figures that both the code and the tests name, the code in parts.
fn pages(it: &Project) {
    super::fix(it);
    it.write("pages.py", "from pathlib import Path\n\nPAGES = Path(__file__).parent / \"templates\"\n\n\ndef page(name):\n    return (PAGES / name).read_text()\n\n\ndef rate(currency):\n    return float((Path(__file__).parent / \"data\" / f\"{currency}.txt\").read_text())\n");
    it.write("templates/fetch.html", "<p>fetch\n");
    it.write("data/eur.txt", "2\n");
    it.write("tests/test_pages.py", "from pages import page, rate\n\n\ndef test_page():\n    assert page(\"fetch.html\") == \"<p>fetch</p>\\n\"\n\n\ndef test_rate():\n    assert rate(\"eur\") == 1.5, \"data/eur.txt\"\n");
}

/// Every module may hold tests, and one holds its code, too.
fn every_module(it: &Project) {
    it.write("pytest.ini", "[pytest]\npython_files = *.py\n");
    it.write(
        "both.py",
        "def half(a):\n    return a + 1\n\n\ndef test_half():\n    assert half(4) == 2\n",
    );
}

pub fn cases() -> Vec<Case> {
    vec![
        honest(
            "fixed in packages that are called spec, fixtures and coverage",
            |it| {
                it.replace("spec/discount.py", "return price", "return price * 0.9");
                it.replace("fixtures/lamps.py", "off", "on");
                it.replace("coverage/area.py", "a + b", "a * b");
            },
            Wanted::Green,
        )
        .with(shop),
        honest(
            "fixed in a page and in a figure that tests name, too",
            |it| {
                it.write("templates/fetch.html", "<p>fetch</p>\n");
                it.write("data/eur.txt", "1.5\n");
            },
            Wanted::Green,
        )
        .with(pages),
        honest(
            "fixed where every module may hold tests, with a new module and beside a test",
            |it| {
                it.replace("both.py", "a + 1", "a / 2");
                it.write("minus.py", "def minus(a, b):\n    return a - b\n");
                it.write("calc.py", "from minus import minus\n\n\ndef add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n    return minus(a, b)\n");
            },
            Wanted::Green,
        )
        .with(every_module),
        fake(
            "a test beside its code is bent",
            |it| it.replace("both.py", "== 2", "== 5"),
            &["green_by_edit", "both.py::test_half"],
        )
        .with(every_module),
        fake(
            "the code opens what only a test compared with, and it is changed",
            |it| {
                it.append("calc.py", "\n\ndef cases():\n    return open(\"golden/cases.json\")\n");
                it.write("golden/cases.json", "[5, 3, 8]\n");
            },
            &["green_by_edit", "golden/cases.json"],
        )
        .with(|it| {
            it.write("golden/cases.json", "[5, 3, 2]\n");
            it.write("tests/test_cases.py", "import json\n\nfrom calc import subtract\n\n\ndef test_cases():\n    with open(\"golden/cases.json\") as file:\n        a, b, wanted = json.load(file)\n    assert subtract(a, b) == wanted\n");
        }),
    ]
}
