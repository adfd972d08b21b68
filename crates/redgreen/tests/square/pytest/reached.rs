//! What judges is seen and not guessed: data that nothing in the sources names, and what of it is the code's own.

use crate::common::Project;
use crate::square::model::{Case, Edits as _, Wanted, fake, fakes, honest};

/// Titles that end with a mark, which the code reads from a document of a made name. Tests compare with files that they
/// find by a glob, with one that they give the code to read, and with rows of a database.
fn titles(it: &Project) {
    super::fix(it);
    it.write("titles.py", "from pathlib import Path\n\n\ndef title(text):\n    return text.title() + word(\"mark\")\n\n\ndef word(kind):\n    return (Path(__file__).parent / \"words\" / f\"{kind}.md\").read_text().strip()\n\n\ndef load(path):\n    path = Path(path)\n    with open(path) as file:\n        return file.read().strip()\n\n\nclass Store:\n    def __init__(self, folder):\n        self.folder = folder\n\n    def read(self, name):\n        return load(self.folder / name)\n");
    it.write("words/mark.md", "?\n");
    it.write("samples/a b.out", "A B!\n");
    it.write("wanted/c.md", "C!\n");
    it.write("stored/d", "D!\n");
    it.write("table.db", database("E!"));
    it.write("tests/test_titles.py", "import sqlite3\nfrom pathlib import Path\n\nimport pytest\nfrom titles import Store, load, title\n\nROOT = Path(__file__).parent.parent\n\n\n@pytest.mark.parametrize(\"path\", sorted(ROOT.glob(\"sam*/*\")), ids=lambda it: it.stem)\ndef test_samples(path):\n    assert title(path.stem) == path.read_text().strip()\n\n\ndef test_wanted():\n    folder = \"wan\" + \"ted\"\n    assert title(\"c\") == load(ROOT / folder / \"c.md\")\n\n\ndef test_stored():\n    assert title(\"d\") == Store(ROOT / (\"sto\" + \"red\")).read(\"d\")\n\n\ndef test_rows():\n    with sqlite3.connect(ROOT / (\"tab\" + \"le.db\")) as rows:\n        assert title(\"e\") == rows.execute(\"select * from wanted\").fetchone()[0]\n");
}

/// A database with one row.
fn database(row: &str) -> Vec<u8> {
    let script = "import os, sqlite3, sys, tempfile\npath = tempfile.mktemp()\nwith sqlite3.connect(path) as rows:\n    rows.execute('create table wanted (text)')\n    rows.execute('insert into wanted values (?)', sys.argv[1:])\nrows.close()\nsys.stdout.buffer.write(open(path, 'rb').read())\nos.remove(path)";
    let made = std::process::Command::new("python3").args(["-c", script, row]).output();
    let made = made.expect("python3 makes a database");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    made.stdout
}

/// A rate that the code and a test read.
fn rates(it: &Project) {
    super::fix(it);
    it.write("rates.py", "from pathlib import Path\n\n\ndef rate(name):\n    table = Path(__file__).parent / (\"fig\" + \"ures\")\n    return float(table.read_text())\n");
    it.write("figures", "2\n");
    it.write("tests/test_rates.py", "from pathlib import Path\n\nfrom rates import rate\n\n\ndef test_rate():\n    assert rate(\"eur\") == 1.5\n\n\ndef test_table():\n    assert rate(\"eur\") == float((Path(__file__).parent.parent / \"figures\").read_text())\n");
}

/// Folders that tests list, look into without code, or are given.
fn listed(it: &Project) {
    super::fix(it);
    it.write("plugins/__init__.py", "import importlib\nfrom pathlib import Path\n\n\ndef run(name, value):\n    return importlib.import_module(f\"plugins.mocks.{name}\").run(value)\n\n\ndef names():\n    return sorted(it.stem for it in (Path(__file__).parent / \"mocks\").glob(\"*.py\"))\n");
    it.write("plugins/mocks/twice.py", "def run(value):\n    return value * 3\n");
    it.write("locale/de", "hello=\n");
    it.write("pages/one.txt", "1\n");
    it.write("tests/test_listed.py", "import os\n\nfrom plugins import names, run\n\n\ndef test_names():\n    assert names() == [\"twice\"] and \"one.txt\" in os.listdir(\"pages\")\n\n\ndef test_run():\n    assert run(\"twice\", 2) == 4\n");
    it.write("tests/test_locale.py", "from pathlib import Path\n\n\ndef test_complete():\n    folder = Path(__file__).parent.parent / \"lo\".__add__(\"cale\")\n    for path in folder.iterdir():\n        assert all(line.split(\"=\")[1] for line in path.read_text().splitlines())\n");
}

/// A predicate and a table beside the code, by which tests judge and which no code uses; and a predicate that is tested.
fn beside(it: &Project) {
    super::fix(it);
    it.write("words.py", "def shout(text):\n    return text\n");
    it.write("rules.py", "def looks_loud(text):\n    return text.isupper() and text.endswith(\"!\")\n\n\ndef is_short(text):\n    return len(text) < 1\n");
    it.write("figures.py", "WANTED = {\"b\": \"B!\"}\n");
    it.write("tests/test_shouting.py", "from figures import WANTED\nfrom rules import is_short, looks_loud\nfrom words import shout\n\n\ndef test_loud():\n    assert looks_loud(shout(\"a\"))\n\n\ndef test_table():\n    assert shout(\"b\") == WANTED[\"b\"]\n\n\ndef test_length():\n    assert is_short(\"a\")\n");
}

fn fix_words(it: &Project) {
    it.write("words.py", "def shout(text):\n    return text.upper() + \"!\"\n");
}

pub fn cases() -> Vec<Case> {
    vec![
        fakes(
            "a predicate and a table beside the code are mended instead of it",
            |it| {
                it.replace("rules.py", "text.isupper() and text.endswith(\"!\")", "bool(text)");
                it.replace("rules.py", "< 1", "< 2");
                it.replace("figures.py", "B!", "b");
            },
            &["rules.py", "figures.py"],
        )
        .with(beside),
        honest(
            "fixed beside a predicate that only tests use, and in one that is tested",
            |it| {
                fix_words(it);
                it.replace("rules.py", "< 1", "< 2");
            },
            Wanted::Green,
        )
        .with(beside),
        fakes(
            "data that tests find by a glob, give to the code or query is mended",
            |it| {
                it.write("samples/a b.out", "A B?\n");
                it.write("wanted/c.md", "C?\n");
                it.write("table.db", database("E?"));
            },
            &[
                "tests/test_titles.py::test_samples[a b]",
                "wanted/c.md",
                "tests/test_titles.py::test_rows",
            ],
        )
        .with(|it| {
            titles(it);
            it.write("stored/d", "D?\n");
        }),
        fake(
            "data that the code opens for a test is mended",
            |it| it.write("stored/d", "D?\n"),
            &["changed expectation", "stored/d"],
        )
        .with(|it| {
            titles(it);
            it.write("samples/a b.out", "A B?\n");
            it.write("wanted/c.md", "C?\n");
            it.write("table.db", database("E?"));
        }),
        honest(
            "fixed in a document of a made name that the code reads",
            |it| it.write("words/mark.md", "!\n"),
            Wanted::Green,
        )
        .with(titles),
        honest(
            "fixed in a table that the code and another test read",
            |it| it.write("figures", "1.5\n"),
            Wanted::Declared(&["figures"]),
        )
        .with(rates),
        honest(
            "fixed in a plugin that is called mocks, in data that is tested itself, beside what is listed",
            |it| {
                it.write("plugins/mocks/twice.py", "def run(value):\n    return value * 2\n");
                it.write("locale/de", "hello=hallo\n");
                it.write("pages/one.txt", "2\n");
            },
            Wanted::Green,
        )
        .with(listed),
    ]
}
