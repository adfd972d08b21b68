//! Projects of JavaScript: the frameworks are installed once, and every project links to them.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::Project;

/// A set of installed packages: `current`, `vitest1`, `vitest3`, `vitest4`; a missing one is a failure.
fn packages(set: &str) -> PathBuf {
    let target =
        Path::new(env!("CARGO_BIN_EXE_redgreen")).ancestors().nth(2).expect("a target folder");
    let folder = target.join("tools/node").join(set).join("node_modules");
    assert!(
        folder.join(".bin").exists(),
        "there is nothing in {}: run `cargo xtask test`",
        folder.display()
    );
    folder
}

impl Project {
    /// Gives the project the packages of a set, and the Node that is new enough for all of them.
    pub fn link_packages(&self, set: &str) {
        self.link_packages_in(".", set);
    }

    /// The same for a folder of the project.
    pub fn link_packages_in(&self, folder: &str, set: &str) {
        let folder = self.root().join(folder);
        fs::create_dir_all(&folder).expect("a folder");
        symlink(packages(set), folder.join("node_modules")).expect("a link");
        self.link_node();
    }

    /// Gives the project the Node that is new enough for all packages, instead of the machine's.
    pub fn link_node(&self) {
        let node = packages("runtime").join(".bin/node");
        let programs = self.programs();
        if !programs.join("node").exists() {
            symlink(node, programs.join("node")).expect("a link");
            // npm would look for a newer npm.
            fs::write(self.home().join(".npmrc"), "update-notifier=false\n").expect("a file");
        }
    }

    /// A small project of jest, vitest or mocha: `calc.js` with `add`, which is right, and `subtract`,
    /// which is wrong, and a test for each.
    pub fn javascript(framework: &str, set: &str) -> Self {
        let project = Self::empty();
        let (import, check) = match framework {
            "vitest" => (
                "import { expect, test } from 'vitest';\nimport { add, subtract } from '../calc.js';\n",
                "expect($).toBe(%)",
            ),
            "mocha" => (
                "const assert = require('assert');\nconst { add, subtract } = require('../calc.js');\n",
                "assert.strictEqual($, %)",
            ),
            _ => ("\nconst { add, subtract } = require('../calc.js');\n", "expect($).toBe(%)"),
        };
        let word = if framework == "mocha" { "it" } else { "test" };
        let line = |name: &str, call: &str, wanted: &str| {
            let check = check.replace('$', call).replace('%', wanted);
            format!("\n{word}('{name}', () => {{\n  {check};\n}});\n")
        };
        let (first, second) =
            (line("adds", "add(2, 2)", "4"), line("subtracts", "subtract(5, 3)", "2"));
        project.write("test/calc.test.js", format!("{import}{first}{second}"));
        let (head, tail) = match framework {
            "vitest" => ("export ", ""),
            _ => ("", "module.exports = { add, subtract };\n"),
        };
        project.write(
            "calc.js",
            format!("{head}function add(a, b) {{\n  return a + b;\n}}\n\n{head}function subtract(a, b) {{\n  return a + b;\n}}\n{tail}"),
        );
        let (kind, script) = match framework {
            "vitest" => ("module", "vitest run"),
            "mocha" => ("commonjs", "mocha"),
            _ => ("commonjs", "jest"),
        };
        project.write(
            "package.json",
            format!("{{\"name\": \"calc\", \"type\": \"{kind}\", \"scripts\": {{\"test\": \"{script}\"}}}}\n"),
        );
        project.write(".gitignore", "node_modules\n");
        project.write(
            "redgreen.toml",
            format!(
                "[[checks]]\nname = \"unit\"\ncommand = \"npm test\"\nframework = \"{framework}\"\n"
            ),
        );
        project.link_packages(set);
        project.commit();
        project
    }
}
