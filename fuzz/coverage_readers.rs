//! The readers of coverage reports, and what must hold for whatever is in one.

use redgreen_coverage::formats::{Format, Reading, Wanted, read, read_as, recognise};
use redgreen_coverage::paths::{Module, Tree};
use redgreen_model::text::{LINE_CHARS, MESSAGE_CHARS, strip_controls};

/// The fuzz target, and its folder in `cases`.
pub const NAME: &str = "coverage_report";

/// What a change touches.
const TREE: &[&str] = &["src/prices.js", "src/shop/prices.py", "prices/prices.go", "Prices.java"];

/// Reads the bytes as every format and checks what came of it. Panics where something does not hold.
pub fn hold(bytes: &[u8]) {
    let wanted = Wanted::these(TREE.iter().copied());
    for format in Format::ALL {
        let all = read_as(format, bytes, &Wanted::all());
        assert_eq!(all, read_as(format, bytes, &Wanted::all()), "reading twice gives the same");
        check(&all);
        let some = read_as(format, bytes, &wanted);
        assert!(some.coverage.files.keys().all(|path| wanted.wants(path)), "{format:?}");
        check(&some);
        place(some, Some("reports/lcov.info"));
        place(all, None);
    }
    let reading = read(bytes, &wanted);
    if recognise(bytes).is_none() {
        assert!(reading.coverage.files.is_empty() && reading.diagnostics.len() == 1, "{reading:?}");
    }
    check(&reading);
}

fn check(reading: &Reading) {
    for (path, file) in &reading.coverage.files {
        assert!(!path.is_empty(), "a file without a name");
        assert!(!file.lines.contains_key(&0), "{path}: lines begin at 1");
    }
    reading.diagnostics.iter().for_each(|text| clean(text));
}

fn place(reading: Reading, report: Option<&str>) {
    let module = Module::read("", "module example.com/shop").expect("a module");
    let tree = Tree { paths: TREE.to_vec(), root: Some("/home/ci/shop"), modules: vec![module] };
    let (placed, diagnostics) = tree.place(reading, report);
    assert!(placed.files.keys().all(|path| TREE.contains(&path.as_str())), "{placed:?}");
    diagnostics.iter().for_each(|text| clean(text));
}

fn clean(text: &str) {
    assert_eq!(strip_controls(text), text, "control characters");
    assert!(text.chars().count() <= MESSAGE_CHARS + LINE_CHARS, "{} characters", text.len());
}
