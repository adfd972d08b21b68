use std::path::Path;

use redgreen_model::framework::FrameworkId;
use redgreen_model::tree::FileRole;

use super::inject;
use crate::adapter::{InjectionRequest, ProjectFiles};
use crate::{detect, file_role, suggest};

fn options(folder: &str, inherited: Option<&str>) -> String {
    let request = InjectionRequest {
        run_folder: Path::new(folder),
        program: Path::new("/usr/bin/redgreen"),
        measure: &[],
        only: None,
        corner: false,
        by_exit_code: false,
        inherited: &|name| inherited.filter(|_| name == "NODE_OPTIONS").map(str::to_owned),
    };
    let injection = inject(&request);
    let found = injection.env.into_iter().find(|(name, _)| name == "NODE_OPTIONS");
    found.map(|(_, value)| value).unwrap_or_default()
}

#[test]
fn node_options_keep_what_was_there_and_quote_the_path() {
    assert_eq!(options("/run", None), "--require \"/run/node_modules/preload.cjs\"");
    assert_eq!(
        options("/a b/\"c\\d", Some("--max-old-space-size=64")),
        "--require \"/a b/\\\"c\\\\d/node_modules/preload.cjs\" --max-old-space-size=64"
    );
}

#[test]
fn commands_are_recognised_behind_what_starts_them() {
    let cases = [
        ("jest", Some(crate::jest::ID)),
        ("npx jest --ci", Some(crate::jest::ID)),
        ("npx --no-install jest@30", Some(crate::jest::ID)),
        ("node --experimental-vm-modules node_modules/.bin/jest", Some(crate::jest::ID)),
        ("node node_modules/jest/bin/jest.js -i", Some(crate::jest::ID)),
        ("cross-env CI=1 react-scripts test", Some(crate::jest::ID)),
        ("yarn jest", Some(crate::jest::ID)),
        ("pnpm exec vitest run", Some(crate::vitest::ID)),
        ("cd web && npx vitest", Some(crate::vitest::ID)),
        ("node ./node_modules/vitest/vitest.mjs run", Some(crate::vitest::ID)),
        ("c8 --reporter text mocha -r ts-node/register", Some(crate::mocha::ID)),
        ("nyc mocha", Some(crate::mocha::ID)),
        ("node node_modules/mocha/bin/_mocha", Some(crate::mocha::ID)),
        ("mocha && jest", Some(crate::jest::ID)),
        ("pytest && npx vitest run", Some(FrameworkId::OTHER)),
        ("npm test", None),
        ("npm run jest", None),
        ("npm install jest", None),
        ("node jest.js", None),
        ("echo jest", None),
        ("npx", None),
        ("react-scripts build", None),
    ];
    for (command, wanted) in cases {
        assert_eq!(detect(command), wanted, "{command}");
    }
}

struct Files(Vec<String>, Vec<(&'static str, &'static str)>);

impl ProjectFiles for Files {
    fn paths(&self) -> &[String] {
        &self.0
    }

    fn read(&self, path: &str) -> Option<String> {
        self.1.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
    }
}

fn suggested(files: &[(&'static str, &'static str)]) -> Vec<(FrameworkId, String, String)> {
    let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let checks = suggest(&Files(paths, files.to_vec()));
    checks.into_iter().map(|check| (check.framework, check.command, check.folder)).collect()
}

#[test]
fn a_project_says_how_its_tests_are_run() {
    let one = |framework, command: &str, folder: &str| {
        vec![(framework, command.to_owned(), folder.to_owned())]
    };
    let jest = r#"{"scripts": {"test": "npm run lint && npm run unit", "unit": "jest --ci"}}"#;
    assert_eq!(suggested(&[("package.json", jest)]), one(crate::jest::ID, "npm test", ""));
    let vitest = r#"{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "5"}}"#;
    assert_eq!(
        suggested(&[("web/package.json", vitest), ("web/pnpm-lock.yaml", "")]),
        one(crate::vitest::ID, "pnpm test", "web")
    );
    let mocha = r#"{"devDependencies": {"mocha": "12"}}"#;
    assert_eq!(
        suggested(&[("package.json", mocha), ("yarn.lock", "")]),
        one(crate::mocha::ID, "yarn exec mocha", "")
    );
    let silent = r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"},
        "devDependencies": {"vitest": "5"}}"#;
    assert_eq!(
        suggested(&[("package.json", silent)]),
        one(crate::vitest::ID, "npx vitest run", "")
    );
    let looped = r#"{"scripts": {"test": "npm run test"}, "devDependencies": {"jest": "30"}}"#;
    let unknown = one(FrameworkId::OTHER, "npm test", "");
    assert_eq!(suggested(&[("package.json", looped)]), unknown);
    let own = r#"{"scripts": {"test": "tsc && c8 node --import tsx --test test/"}}"#;
    assert_eq!(suggested(&[("package.json", own)]), one(crate::node_test::ID, "npm test", ""));
    let script = r#"{"scripts": {"test": "node run.js --test"}}"#;
    assert_eq!(suggested(&[("package.json", script)]), unknown);
    assert_eq!(suggested(&[("package.json", "{"), ("node_modules/a/package.json", jest)]), []);
}

#[test]
fn a_workspace_is_tested_by_the_script_of_its_root() {
    let one = |framework, command: &str, folder: &str| {
        vec![(framework, command.to_owned(), folder.to_owned())]
    };
    let root = r#"{"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}"#;
    let jest = r#"{"scripts": {"test": "jest"}}"#;
    let vitest = r#"{"devDependencies": {"vitest": "5"}}"#;
    let own = r#"{"scripts": {"test": "node --test"}}"#;
    assert_eq!(
        suggested(&[
            ("package.json", root),
            ("packages/a/package.json", jest),
            ("packages/b/package.json", vitest),
            ("packages/c/package.json", own),
        ]),
        one(crate::jest::ID, "npm test", "")
    );
    // Members of a root without a script are tested by themselves.
    let silent = r#"{"workspaces": {"packages": ["packages/*"]}}"#;
    assert_eq!(
        suggested(&[("package.json", silent), ("packages/a/package.json", jest)]),
        one(crate::jest::ID, "npm test", "packages/a")
    );
    let pnpm = r#"{"scripts": {"test": "turbo run test"}}"#;
    assert_eq!(
        suggested(&[
            ("package.json", pnpm),
            ("pnpm-workspace.yaml", "packages:\n  - packages/**\n"),
            ("pnpm-lock.yaml", ""),
            ("packages/deep/a/package.json", vitest),
        ]),
        one(crate::vitest::ID, "pnpm test", "")
    );
}

#[test]
fn files_of_tests_are_distinguished_from_code() {
    let cases = [
        ("src/app.test.js", FileRole::Tests),
        ("src/app.spec.tsx", FileRole::Tests),
        ("src/app.test.unit.ts", FileRole::Tests),
        ("src/__tests__/app.js", FileRole::Tests),
        ("src/__mocks__/fs.js", FileRole::Tests),
        ("jest.config.ts", FileRole::Tests),
        ("vitest.workspace.json", FileRole::Tests),
        (".mocharc.yml", FileRole::Tests),
        ("src/test.js", FileRole::Code),
        ("src/app.js", FileRole::Code),
        ("vite.config.ts", FileRole::Code),
        ("src/spec.config.js", FileRole::Code),
        ("package.json", FileRole::Code),
    ];
    for (path, wanted) in cases {
        assert_eq!(file_role(path), wanted, "{path}");
    }
}
