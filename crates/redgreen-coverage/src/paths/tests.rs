use super::*;

const TREE: &[&str] = &[
    "a.py",
    "index.js",
    "pkg/a.py",
    "go/prices/prices.go",
    "src/index.js",
    "src/shop/prices.py",
    "packages/cart/src/index.js",
    "packages/till/src/index.js",
    "cart/src/main/java/shop/Prices.java",
    "till/src/main/java/shop/Prices.java",
    "till/src/main/java/shop/Till.java",
    "kotlin/cash/Till.kt",
    "with space/änd.py",
];

/// Where the paths of a report lead, by the hits of line 1: each path has another number.
fn placed(paths: &[&str], sources: &[&str], report: Option<&str>) -> (Vec<(String, u64)>, usize) {
    let tree = Tree {
        paths: TREE.to_vec(),
        root: Some("/home/me/shop"),
        modules: vec![Module { folder: "go", name: "example.com/shop" }],
    };
    let file = |hits| FileCoverage { lines: [(1, hits)].into(), ..FileCoverage::default() };
    let files = paths.iter().zip(1..).map(|(path, hits)| ((*path).to_owned(), file(hits)));
    let reading = Reading {
        coverage: Coverage { files: files.collect(), problems: Vec::new() },
        sources: sources.iter().map(|source| (*source).to_owned()).collect(),
        diagnostics: Vec::new(),
    };
    let (coverage, diagnostics) = tree.place(reading, report);
    (
        coverage.files.into_iter().map(|(path, file)| (path, file.lines[&1])).collect(),
        diagnostics.len(),
    )
}

#[test]
fn a_path_leads_to_the_file_that_it_means() {
    let rows: &[(&str, &[&str], Option<&str>, &str)] = &[
        ("/home/me/shop/a.py", &[], None, "a.py"),
        ("src/shop/prices.py", &[], None, "src/shop/prices.py"),
        ("./src/../a.py", &[], None, "a.py"),
        ("prices.py", &["/home/me/shop/src/shop"], None, "src/shop/prices.py"),
        ("prices.py", &["src/shop"], None, "src/shop/prices.py"),
        ("/builds/7/shop/src/shop/prices.py", &[], None, "src/shop/prices.py"),
        ("C:\\agent\\1\\s\\src\\shop\\prices.py", &[], None, "src/shop/prices.py"),
        ("src\\shop\\prices.py", &[], None, "src/shop/prices.py"),
        ("prices.py", &["/app/shop"], None, "src/shop/prices.py"),
        ("src/index.js", &["/builds/packages/till"], None, "packages/till/src/index.js"),
        ("src/index.js", &[], None, "src/index.js"),
        (
            "src/index.js",
            &[],
            Some("packages/till/coverage/lcov.info"),
            "packages/till/src/index.js",
        ),
        ("/builds/7/packages/till/src/index.js", &[], None, "packages/till/src/index.js"),
        ("/builds/7/src/index.js", &[], None, "src/index.js"),
        ("example.com/shop/prices/prices.go", &[], None, "go/prices/prices.go"),
        ("shop/Till.java", &[], None, "till/src/main/java/shop/Till.java"),
        ("till/shop/Prices.java", &[], None, "till/src/main/java/shop/Prices.java"),
        (
            "shop/Prices.java",
            &[],
            Some("cart/target/jacoco.xml"),
            "cart/src/main/java/shop/Prices.java",
        ),
        ("com/example/cash/Till.kt", &[], None, "kotlin/cash/Till.kt"),
        ("webpack://shop/./src/shop/prices.py", &[], None, "src/shop/prices.py"),
        ("/builds/with space/änd.py", &[], None, "with space/änd.py"),
    ];
    for (path, sources, report, file) in rows {
        let expected = (vec![((*file).to_owned(), 1)], 0);
        assert_eq!(placed(&[*path], sources, *report), expected, "{path}");
    }
}

#[test]
fn what_is_of_another_project_leads_nowhere() {
    let paths = [
        "/home/me/shop/.tox/py/lib/python3/site-packages/shop/prices.py",
        "/home/me/shop/build/a.py",
        "/usr/lib/node_modules/other/index.js",
        "/builds/7/node_modules/index.js",
        "example.com/shop/other/prices.go",
        "/usr/lib/python3/json/prices.py",
        "unknown.py",
        "",
        "/",
        "..",
    ];
    for path in paths {
        assert_eq!(placed(&[path], &[], None), (Vec::new(), 0), "{path}");
    }
}

#[test]
fn what_could_be_several_files_is_none_and_said() {
    assert_eq!(placed(&["shop/Prices.java"], &[], None), (Vec::new(), 1));
    let both = ["/home/me/shop/packages/cart", "/home/me/shop/packages/till"];
    assert_eq!(placed(&["src/index.js"], &both, None), (Vec::new(), 1));
}

#[test]
fn two_machines_saw_the_same_file_and_a_copy_of_it_is_another() {
    let all = |paths: &[&str]| placed(paths, &[], None).0;
    assert_eq!(all(&["/one/a.py", "/two/a.py"]), [("a.py".to_owned(), 2)]);
    assert_eq!(all(&["/one/a.py", "/one/gen/a.py"]), [("a.py".to_owned(), 1)]);
    assert_eq!(all(&["a.py", "/two/a.py"]), [("a.py".to_owned(), 1)]);
}

#[test]
fn a_go_module_has_a_name() {
    let name = |text| Module::read("", text).map(|module| module.name);
    assert_eq!(name("// x\nmodule example.com/shop // y\n\ngo 1.21\n"), Some("example.com/shop"));
    assert_eq!(name("module \"a/b\"\r\n"), Some("a/b"));
    assert_eq!(name("modules x\n"), None);
}
