use redgreen_model::coverage::Point;

use super::*;

/// What changed, one function a line: `file function new|untested: lines`.
fn shown(versions: &[(&str, Option<&str>, Option<&str>)], coverage: &Coverage) -> Vec<String> {
    let versions: Vec<Version<'_>> =
        versions.iter().map(|&(path, old, new)| Version { path, old, new }).collect();
    let found = changed_functions(&versions, coverage, &Exclusions::default());
    let shown = found.iter().map(|it| {
        let lines: Vec<String> = it
            .statements
            .iter()
            .map(|statement| {
                let ran = match statement.ran {
                    None => "?",
                    Some(true) => "+",
                    Some(false) => "-",
                };
                format!("{ran}{}", statement.first)
            })
            .collect();
        let is = match (it.is_new, it.untested_before) {
            (true, _) => " new",
            (_, true) => " untested",
            _ => "",
        };
        format!("{} {}{is}: {}", it.file, it.function, lines.join(" "))
    });
    shown.collect()
}

fn ran(path: &str, lines: &[(u32, u64)]) -> Coverage {
    let file = FileCoverage { lines: lines.iter().copied().collect(), ..FileCoverage::default() };
    Coverage { files: [(path.to_owned(), file)].into(), problems: Vec::new() }
}

const OLD: &str = "def add(a, b):\n    return a + b\n\n\ndef price(item):\n    rate = 2\n    if item:\n        return rate\n    return None\n";

#[test]
fn a_new_function_is_new_and_its_lines_ran_or_not() {
    let new = format!("{OLD}\n\ndef total(items):\n    found = 0\n    return found\n");
    let seen = ran("a.py", &[(2, 1), (13, 1), (14, 0)]);
    assert_eq!(shown(&[("a.py", Some(OLD), Some(&new))], &seen), ["a.py total new: +13 -14"]);
}

#[test]
fn a_file_that_nothing_loads_ran_nothing_and_one_that_nobody_asked_for_is_not_known() {
    let new = "LIMIT = 3\ndef total():\n    return 1\n";
    let versions = [("b.py", None, Some(new))];
    let seen = ran("b.py", &[]);
    assert_eq!(shown(&versions, &seen), ["b.py  new: -1", "b.py total new: -3"]);
    assert_eq!(shown(&versions, &Coverage::default()), ["b.py  new: ?1", "b.py total new: ?3"]);
}

#[test]
fn layout_comments_types_and_documentation_are_no_change() {
    let new = "\"\"\"Prices.\"\"\"\r\nimport os\r\n\r\n\r\ndef add(a: int, b: int) -> int:\r\n    \"\"\"Adds.\"\"\"\r\n    return (\r\n        a + b  # why\r\n    )\r\n";
    let old = "def add(a, b):\n    return (a + b)";
    assert_eq!(shown(&[("a.py", Some(old), Some(new))], &Coverage::default()), [""; 0]);
}

#[test]
fn what_moves_to_another_function_or_file_is_no_change() {
    let old = "def add(a, b):\n    c = a + b\n    log(c)\n    return c\n";
    let moved = "def sum_of(a, b):\n    c = a + b\n    log(c)\n    return c\n";
    let seen = Coverage::default();
    assert_eq!(shown(&[("a.py", Some(old), Some(moved))], &seen), [""; 0]);
    let files = [("a.py", Some(old), None), ("lib/b.py", None, Some(moved))];
    assert_eq!(shown(&files, &seen), [""; 0]);
    let one_more = moved.replace("    log(c)\n", "    log(c)\n    tell(c)\n");
    let files = [("a.py", Some(old), None), ("lib/b.py", None, Some(one_more.as_str()))];
    assert_eq!(shown(&files, &seen), ["lib/b.py sum_of new: ?4"]);
}

/// What a branch does is the same with a semicolon behind it, in a block, and without.
#[test]
fn a_branch_that_is_written_in_another_form_is_no_change() {
    let old = "fn next(a: Option<u32>) -> u32 {\n    let a = match a {\n        None => return later(),\n        Some(a) => a,\n    };\n    a + 1\n}\n";
    let new = "fn next(a: Option<u32>) -> u32 {\n    let Some(a) = a else {\n        return later();\n    };\n    a + 1\n}\n";
    let seen = ran("a.rs", &[(2, 1), (3, 0), (5, 1)]);
    assert_eq!(shown(&[("a.rs", Some(old), Some(new))], &seen), ["a.rs next: +2"]);
}

#[test]
fn the_same_statement_once_more_is_one_change() {
    let old = "def f(a):\n    if a:\n        return None\n    return 1\n";
    let new = "def f(a):\n    if a:\n        return None\n    if a > 2:\n        return None\n    return 1\n\n\ndef g():\n    return None\n";
    assert_eq!(
        shown(&[("a.py", Some(old), Some(new))], &Coverage::default()),
        ["a.py f: ?4 ?5", "a.py g new: ?10"]
    );
}

#[test]
fn a_function_of_which_nothing_ran_before_is_known_as_untested() {
    let new = OLD.replace("rate = 2", "rate = 3");
    let versions = [("a.py", Some(OLD), Some(new.as_str()))];
    let seen = ran("a.py", &[(2, 1), (6, 0), (7, 0), (8, 0), (9, 0)]);
    assert_eq!(shown(&versions, &seen), ["a.py price untested: -6"]);
    let seen = ran("a.py", &[(2, 1), (6, 0), (7, 3), (8, 0), (9, 1)]);
    assert_eq!(shown(&versions, &seen), ["a.py price: -6"]);
}

#[test]
fn a_mark_counts_only_if_it_was_there_before() {
    let old = "def f(a):\n    if a:  # pragma: no cover\n        log(a)\n    return 1\n";
    let new = "def f(a):\n    if a:  # pragma: no cover\n        log(a, 2)\n    if not a:  # pragma: no cover - new\n        log(0)\n    return 1\n";
    assert_eq!(shown(&[("a.py", Some(old), Some(new))], &Coverage::default()), ["a.py f: ?4 ?5"]);
}

#[test]
fn a_new_mark_counts_at_what_only_refuses() {
    let old = "def f(a):\n    return a\n";
    let new = "def f(a):\n    if a is None:  # pragma: no cover\n        raise TypeError(a)\n    return a\n";
    assert_eq!(shown(&[("a.py", Some(old), Some(new))], &Coverage::default()), [""; 0]);
    let ends = new.replace("return a\n", "raise KeyError(a)  # pragma: no cover\n");
    assert_eq!(shown(&[("a.py", Some(old), Some(&ends))], &Coverage::default()), [""; 0]);
    // What does something besides is asked for, and so is a whole function.
    let does = new.replace("        raise", "        a = g(a)\n        raise");
    assert_eq!(
        shown(&[("a.py", Some(old), Some(&does))], &Coverage::default()),
        ["a.py f: ?2 ?3 ?4"]
    );
    let whole = "def g(a):  # pragma: no cover\n    raise TypeError(a)\n";
    assert_eq!(shown(&[("a.py", None, Some(whole))], &Coverage::default()), ["a.py g new: ?2"]);
    let thrown = "export function f(a) {\n  /* c8 ignore next */\n  if (!a) { throw new Error(a); }\n  return a;\n}\n";
    let before = "export function f(a) {\n  return a;\n}\n";
    assert_eq!(shown(&[("a.js", Some(before), Some(thrown))], &Coverage::default()), [""; 0]);
}

#[test]
fn where_places_are_known_two_statements_of_a_line_differ() {
    let old = "export const one = 1;\n";
    let new = "export const one = 1;\nexport const f = (a) => { if (a) { b(); } return 1; };\n";
    let points = [(1, 0, 1), (2, 25, 2), (2, 33, 0), (2, 42, 2)];
    let points = points.map(|(line, column, hits)| Point { line, column, hits });
    let file = FileCoverage { points: points.into(), ..FileCoverage::default() };
    let seen = Coverage { files: [("a.ts".into(), file)].into(), problems: Vec::new() };
    assert_eq!(shown(&[("a.ts", Some(old), Some(new))], &seen), ["a.ts f new: +2 -2 +2"]);
}

#[test]
fn tests_among_code_are_no_code() {
    let new = "pub fn one() -> u32 { 1 }\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn it_is() {\n        assert_eq!(super::one(), 1);\n    }\n}\n";
    assert_eq!(shown(&[("a.rs", None, Some(new))], &Coverage::default()), ["a.rs one new: ?1"]);
}

#[test]
fn of_a_language_that_is_not_read_a_line_is_a_statement() {
    let seen = ran("a.php", &[(1, 1), (2, 0), (3, 1)]);
    let versions = [("a.php", Some("one();\nthree();"), Some("one();\n two();\nthree();\n"))];
    assert_eq!(shown(&versions, &seen), ["a.php : -2"]);
}

#[test]
fn the_tests_that_come_nearest_are_named() {
    let new = OLD.replace("rate = 2", "rate = 3");
    let mut seen = ran("a.py", &[(2, 1), (6, 0), (9, 1)]);
    let file = seen.files.get_mut("a.py").expect("it is there");
    file.tests =
        [(2, vec!["far".to_owned()]), (9, vec!["near".to_owned(), "far".to_owned()])].into();
    let version = Version { path: "a.py", old: Some(OLD), new: Some(&new) };
    assert_eq!(
        changed_functions(&[version], &seen, &Exclusions::default())[0].near,
        ["near", "far"]
    );
}

#[test]
fn what_stands_outside_of_functions_in_a_file_that_was_there_is_not_asked_for() {
    let old = "try:\n    import fast\nexcept ImportError:\n    fast = False\n";
    let new = "try:\n    import fast\nexcept ImportError:\n    fast = False\n    slow = 3\n";
    let seen = ran("a.py", &[(1, 1), (4, 0), (5, 0)]);
    assert_eq!(shown(&[("a.py", Some(old), Some(new))], &seen), ["a.py  untested: -5"]);
}

#[test]
fn what_the_project_leaves_out_is_not_asked_for() {
    let rc = "[run]\nomit = old/*\n[report]\nexclude_also =\n    if DEBUG\n    def debug\n";
    let exclusions = Exclusions::read(&[], &|path| (path == ".coveragerc").then(|| rc.to_owned()));
    let new = "def f(a):\n    if DEBUG:\n        a += 1\n    return a\n\n\ndef debug(a):\n    b = 1\n    return b\n";
    let versions = ["a.py", "old/a.py"].map(|path| Version { path, old: None, new: Some(new) });
    let found = changed_functions(&versions, &Coverage::default(), &exclusions);
    let lines: Vec<u32> =
        found.iter().flat_map(|it| &it.statements).map(|statement| statement.first).collect();
    assert_eq!(lines, [4]);
}
