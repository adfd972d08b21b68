//! go test.

use super::{Row, play, untested, verdict};
use crate::common::Project;
use crate::common::edits::Edits;

const CART: &str = "package shop\n\nimport \"example.org/shop/price\"\n\n// Total is what a number of things costs.\nfunc Total(number int) int {\n\tif number > 9 {\n\t\treturn price.Of(number) - 1\n\t}\n\treturn price.Of(number)\n}\n";
const TEST: &str = "package shop\n\nimport (\n\t\"testing\"\n\n\t\"example.org/shop/price\"\n)\n\nfunc TestTotal(t *testing.T) {\n\tif Total(2) != 6 || Total(10) != 29 || price.Of(1) != 3 {\n\t\tt.Fail()\n\t}\n}\n";

/// `Total` in the root is tested; it uses the package `price`, which has no tests of its own.
fn project(command: &str) -> Project {
    let project = Project::empty();
    let check =
        format!("[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\nframework = \"go_test\"\n");
    project.write("redgreen.toml", check);
    project.write("go.mod", "module example.org/shop\n\ngo 1.21\n");
    project.write(".gitignore", "*.out\n");
    project.write("cart.go", CART);
    project.write("cart_test.go", TEST);
    let price = "package price\n\nfunc Of(number int) int {\n\treturn 3 * number\n}\n";
    project.write("price/price.go", price);
    project.write("gift/gift.go", "package gift\n");
    project.commit();
    project
}

fn with_discount(project: &Project) {
    project.append(
        "cart.go",
        "\nfunc Discount(total int) int {\n\tif total > 100 {\n\t\treturn total / 10\n\t}\n\treturn 0\n}\n",
    );
}

fn asks(project: &Project, condition: &str) {
    let test =
        format!("\nfunc TestMore(t *testing.T) {{\n\tif {condition} {{\n\t\tt.Fail()\n\t}}\n}}\n");
    project.append("cart_test.go", &test);
}

const ROWS: &[Row] = &[
    Row { name: "a new function and no test", change: with_discount, untested: &["cart.go:14-17"] },
    Row {
        name: "a new function and its test",
        change: |project| {
            with_discount(project);
            asks(project, "Discount(200) != 20 || Discount(5) != 0");
        },
        untested: &[],
    },
    Row {
        name: "a test that calls it and is content with anything",
        change: |project| {
            with_discount(project);
            asks(project, "Discount(200) < 0 || Discount(5) < 0");
        },
        untested: &["cart.go:14-17"],
    },
    Row {
        name: "five of six statements",
        change: |project| {
            project.append("cart.go", "\nfunc Fee(total int) int {\n\tfee := total / 100\n\tfee++\n\tif fee > 50 {\n\t\tfee = 50\n\t}\n\tfee *= 2\n\treturn fee\n}\n");
            asks(project, "Fee(100) != 4");
        },
        untested: &[],
    },
    Row {
        name: "two branches on one line, of which one is run",
        change: |project| {
            project.append(
                "cart.go",
                "\nfunc Half(a int) int {\n\tif a > 1 { a /= 2; return a }; return 3\n}\n",
            );
            asks(project, "Half(0) != 3");
        },
        untested: &["cart.go:14"],
    },
    Row {
        name: "a package that nothing uses",
        change: |project| {
            project.append("gift/gift.go", "\nfunc Wrap(a int) int {\n\treturn a + 1\n}\n");
        },
        untested: &["gift/gift.go:4"],
    },
    Row {
        name: "a package that the tests of another one run",
        change: |project| {
            project.append(
                "price/price.go",
                "\nfunc Even(number int) int {\n\treturn Of(number) / 2 * 2\n}\n",
            );
            asks(project, "price.Even(3) != 8");
        },
        untested: &[],
    },
    Row {
        name: "a file is renamed, a function laid out anew and commented",
        change: |project| {
            project.rename("price/price.go", "price/of.go");
            project.write("cart.go", "package shop\n\nimport (\n\t\"example.org/shop/price\"\n)\n\n// Total is the price of many.\nfunc Total(number int) int {\n\t// Who takes many gets a little off.\n\tif number > 9 { return price.Of(number) - 1 }\n\n\treturn price.Of(\n\t\tnumber)\n}\n");
        },
        untested: &[],
    },
    Row {
        name: "a file for another platform",
        change: |project| {
            project.write(
                "cart_windows.go",
                "package shop\n\nfunc Drive(a int) int {\n\treturn a + 1\n}\n",
            );
        },
        untested: &[],
    },
    Row {
        name: "where a program begins",
        change: |project| {
            project.write("cmd/shop/main.go", "package main\n\nimport \"example.org/shop\"\n\nfunc main() {\n\tprintln(shop.Total(3))\n}\n");
        },
        untested: &[],
    },
];

#[test]
fn what_tests_run_of_a_change_in_go() {
    play(&project("go test ./..."), ROWS);
}

#[test]
fn what_the_command_counts_by_itself_is_read_and_left_as_it_is() {
    let work = project("go test -coverpkg=./... -coverprofile=cover.out ./...");
    play(&work, ROWS.get(..1).unwrap());
    assert!(
        work.read("cover.out").contains("example.org/shop/gift/gift.go")
            || work.read("cover.out").contains("cart.go:13")
    );
    let one_by_one = project("go test -cover ./...");
    with_discount(&one_by_one);
    let ended = one_by_one.redgreen(&["square", "--base", "HEAD", "--json"]);
    assert_eq!((verdict(&ended).as_str(), untested(&ended)), ("passed", Vec::new()));
    let named = ["square", "--base", "HEAD", "--json", "--code-type", "new_function"];
    let ended = one_by_one.redgreen(&named);
    assert_eq!(verdict(&ended), "inconclusive");
    assert!(ended.stdout.contains("add -coverpkg=./... to the command"), "{}", ended.stdout);
}

/// Go says a good deal about coverage where it counts; who did not ask for that does not see it.
#[test]
fn what_go_says_of_coverage_is_not_shown_where_nobody_asked() {
    let work = project("go test ./... > seen.out 2>&1");
    with_discount(&work);
    work.append("price/price.go", "\nfunc More() {}\n");
    work.append("gift/gift.go", "\nfunc Wrap() {}\n");
    work.redgreen(&["square", "--base", "HEAD"]).assert_code(1);
    let shown = work.read("seen.out");
    let mut lines: Vec<&str> = shown.lines().collect();
    lines.sort_unstable();
    let none = |package: &str| format!("?   \texample.org/shop/{package}\t[no test files]");
    assert_eq!(lines[..2], [none("gift"), none("price")], "{shown}");
    let tested = lines[2..].iter().all(|line| line.starts_with("ok  \texample.org/shop\t"));
    assert!(tested && lines.len() == 3 && !shown.contains("coverage"), "{shown}");
}
