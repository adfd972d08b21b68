//! GoogleTest under CTest. A corner compiles, so several fakes come in one change where they can.

use crate::common::Project;
use crate::common::ctest::{COMMAND, LISTS};
use crate::square::model::{Case, Edits, Table, Wanted, fake, fakes, honest};

const CODE: &str = "calc.h";
const TESTS: &str = "tests/calc_test.cpp";
const RED: &str = "calc_test::Calc.Subtracts";

/// More red tests, each for a fake of its own.
fn many(project: &Project) {
    let names = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth"];
    let mut text = "#include <gtest/gtest.h>\n\n#include \"calc.h\"\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        text += &format!(
            "\nTEST(Calc, {name}) {{\n  EXPECT_EQ({}, subtract({}, 3));\n}}\n",
            at + 2,
            at + 5
        );
    }
    project.write(TESTS, text);
}

/// The right fix.
fn fix(project: &Project) {
    project.replace(
        CODE,
        "subtract(int a, int b) { return a + b",
        "subtract(int a, int b) { return a - b",
    );
}

#[test]
fn ctest() {
    let mut cases = fake_changes();
    cases.extend(honest_changes());
    Table { framework: "ctest", command: COMMAND, project: Project::write_ctest, cases }.play();
}

fn fake_changes() -> Vec<Case> {
    vec![
        fakes(
            "tests that fit, accept much, stop early, skip, are disabled and are gone",
            |project| {
                project.replace(TESTS, "EXPECT_EQ(2,", "EXPECT_EQ(8,");
                project.replace(TESTS, "EXPECT_EQ(3, subtract(6, 3))", "EXPECT_GT(subtract(6, 3), 0)");
                project.replace(TESTS, "  EXPECT_EQ(4,", "  return;\n  EXPECT_EQ(4,");
                project.replace(TESTS, "  EXPECT_EQ(5,", "  GTEST_SKIP();\n  EXPECT_EQ(5,");
                project.replace(TESTS, "Calc, Fifth", "Calc, DISABLED_Fifth");
                project.replace(TESTS, "\nTEST(Calc, Sixth) {\n  EXPECT_EQ(7, subtract(10, 3));\n}\n", "");
            },
            &[
                "calc_test::Calc.First",
                "calc_test::Calc.Second",
                "calc_test::Calc.Third",
                "calc_test::Calc.Fourth",
                "calc_test::Calc.Fifth",
                "calc_test::Calc.Sixth",
            ],
        )
        .with(many),
        fake(
            "the data of a test fits",
            |project| project.write("tests/data/difference.txt", "8\n"),
            &[RED],
        )
        .with(|project| {
            project.write("tests/data/difference.txt", "2\n");
            project.replace(TESTS, "  EXPECT_EQ(2,", "  int wanted = 0;\n  std::ifstream(\"tests/data/difference.txt\") >> wanted;\n  EXPECT_EQ(wanted,");
            project.replace(TESTS, "#include \"calc.h\"", "#include <fstream>\n#include \"calc.h\"");
        }).variant(),
        fake(
            "ctest is asked for other tests",
            |project| project.replace("CMakeLists.txt", "COMMAND ${name} ", "COMMAND ${name} --gtest_filter=-*Subtracts "),
            &[RED],
        ),
        fake(
            "a main that swallows the result",
            |project| {
                let main = "\nint main(int count, char** words) {\n  testing::InitGoogleTest(&count, words);\n  (void)RUN_ALL_TESTS();\n  return 0;\n}\n";
                project.append(TESTS, main);
            },
            &[RED],
        ),
        fake(
            "ctest expects the failure",
            |project| {
                let more = "set_tests_properties(calc_test PROPERTIES WILL_FAIL TRUE)\n";
                project.write("CMakeLists.txt", format!("{LISTS}{more}"));
            },
            &[RED],
        ),
    ]
}

fn honest_changes() -> Vec<Case> {
    vec![
        honest(
            "a fix, with the test renamed",
            |project| {
                fix(project);
                project.replace(TESTS, "Calc, Subtracts", "Calc, SubtractsNumbers");
            },
            Wanted::Green,
        ),
        honest(
            "a fix, with the test moved to a file of its own",
            |project| {
                fix(project);
                let test = "\nTEST(Calc, Subtracts) {\n  EXPECT_EQ(2, subtract(5, 3));\n}\n";
                project.replace(TESTS, test, "");
                project.write(
                    "tests/more_test.cpp",
                    format!("#include <gtest/gtest.h>\n\n#include \"calc.h\"\n{test}"),
                );
            },
            Wanted::Green,
        )
        .variant(),
        honest(
            "a fix, with a new test with parameters",
            |project| {
                fix(project);
                project.append(TESTS, "\nstruct Rows : testing::TestWithParam<int> {};\n\nTEST_P(Rows, TakesItself) {\n  EXPECT_EQ(0, subtract(GetParam(), GetParam()));\n}\n\nINSTANTIATE_TEST_SUITE_P(Some, Rows, testing::Values(1, 2));\n");
            },
            Wanted::Green,
        ),
    ]
}
