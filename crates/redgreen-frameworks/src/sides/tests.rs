use super::*;

pub(crate) struct Files(Vec<(String, String)>, Vec<String>);

impl Files {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self(files.collect(), paths)
    }
}

impl ProjectFiles for Files {
    fn paths(&self) -> &[String] {
        &self.1
    }

    fn read(&self, path: &str) -> Option<String> {
        self.0.iter().find(|(known, _)| known == path).map(|(_, text)| text.clone())
    }
}

#[test]
fn what_the_user_says_comes_first_and_the_last_word_counts() {
    let told = ["checks/**", "!checks/lib/**", "checks/lib/judge.py", "!tests/app.py"];
    let told: Vec<String> = told.iter().map(|glob| (*glob).to_owned()).collect();
    let sides = Sides::new(&Files::of(&[]), &[], &told);
    let cases = [
        ("checks/a.py", Side::Tests),
        ("checks/lib/b.py", Side::Code),
        ("checks/lib/judge.py", Side::Tests),
        ("tests/app.py", Side::Code),
        ("tests/other.py", Side::Tests),
        ("src/app.py", Side::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
    }
    assert_eq!(sides.reason("checks/lib/b.py"), "redgreen.toml: tests.paths has !checks/lib/**");
}

#[test]
fn without_a_rule_the_role_decides_but_snapshots_judge_and_lock_files_are_code() {
    let sides = Sides::new(&Files::of(&[]), &[], &[]);
    let cases = [
        ("redgreen.toml", Side::Tests),
        ("src/__snapshots__/a.snap", Side::Tests),
        ("src/snapshots/app__it.snap", Side::Tests),
        ("tests/__snapshots__/test_a.ambr", Side::Tests),
        ("proptest-regressions/a.txt", Side::Tests),
        ("node_modules/x/a.snap", Side::Inert),
        ("Cargo.lock", Side::Code),
        ("package-lock.json", Side::Code),
        ("README.md", Side::Inert),
        ("tests/data/README.md", Side::Tests),
        ("src/app.rs", Side::Code),
        ("tests/it.rs", Side::Tests),
        (".github/workflows/ci.yml", Side::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(sides.side(path), wanted, "{path}: {}", sides.reason(path));
    }
}

#[test]
fn what_is_not_mixed_is_taken_whole() {
    let sides = Sides::new(&Files::of(&[]), &[], &[]);
    let spliced = |path: &str| sides.splice(path, Some(b"code"), Some(b"tests"));
    assert_eq!(spliced("tests/a.py"), Ok(Some(b"tests".to_vec())));
    assert_eq!(spliced("src/a.py"), Ok(Some(b"code".to_vec())));
    assert_eq!(sides.splice("tests/a.py", Some(b"new"), None), Ok(None));
}
