//! Coverage that other tools count: reports that a check writes, or a command of the project's.

use super::{Row, play};
use crate::common::Project;

/// Stands for a suite and its own counting, in a language in which redgreen counts nothing: a line of a function ran if
/// the suite names the function.
const SUITE: &str = r#"
echo '<testsuite><testcase classname="suite" name="adds"/></testsuite>' > results.xml
mkdir -p out
awk 'FNR == NR { named[$1] = 1; next }
     FNR == 1 { print "SF:lib/cart.rb" }
     /def / { sub(/\(.*/, "", $2); ran = ($2 in named); print "DA:" FNR ",1"; next }
     /end/ { next }
     NF { print "DA:" FNR "," ran }
     END { print "end_of_record" }' suite.txt lib/cart.rb > out/lcov.info
"#;
const CART: &str = "def add(a, b)\n  a + b\nend\n";
const TOTAL: &str = "\ndef total(items)\n  items.sum\nend\n";

const ROWS: &[Row] = &[
    Row {
        name: "a new function that no test runs",
        change: |project| project.write("lib/cart.rb", format!("{CART}{TOTAL}")),
        untested: &["lib/cart.rb:6"],
    },
    Row {
        name: "the same with a test",
        change: |project| {
            project.write("lib/cart.rb", format!("{CART}{TOTAL}"));
            project.write("suite.txt", "add\ntotal\n");
        },
        untested: &[],
    },
];

fn project(check: &str, coverage: &str) -> Project {
    let project = Project::empty();
    project.write("lib/cart.rb", CART);
    project.write("suite.sh", SUITE);
    project.write("suite.txt", "add\n");
    project.write(".gitignore", "results.xml\n");
    let check = format!(
        "[[checks]]\nname = \"suite\"\ncommand = \"{check}\"\nreports = [\"results.xml\"]\n"
    );
    project.write(
        "redgreen.toml",
        format!("{check}[coverage]\nreports = [\"out/*.info\"]\n{coverage}"),
    );
    project.commit();
    project
}

#[test]
fn a_check_writes_them() {
    play(&project("sh suite.sh", ""), ROWS);
}

#[test]
fn a_command_writes_them() {
    let check = "sh suite.sh && rm -r out";
    play(&project(check, "command = \"sh suite.sh\"\n"), ROWS);
}

#[test]
fn nothing_that_was_there_before_counts() {
    let project = project("sh suite.sh && rm -r out", "kind = \"new_function\"\n");
    project.write("out/lcov.info", "SF:lib/cart.rb\nDA:6,1\nend_of_record\n");
    project.write("lib/cart.rb", format!("{CART}{TOTAL}"));
    let ended = project.redgreen(&["square", "--base", "HEAD"]);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stdout.contains("the run wrote no coverage report"), "{}", ended.stdout);
}
