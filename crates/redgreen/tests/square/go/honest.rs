//! Honest changes, and code that looks for its judge.

#![allow(clippy::too_many_lines, reason = "a table of cases")]

use super::{CHECK_SUBTRACT, TESTS, fix, golden, testkit};
use crate::common::Project;
use crate::square::model::{Case, Edits, Wanted, honest, seeker};

/// A helper that calls a function which no test names, and a package of tests beside the one of the code.
fn helper(project: &Project) {
    fix(project);
    project.append("calc.go", "\nfunc Scale(a int) int {\n\treturn 2 * a\n}\n");
    project.write(
        "helper_test.go",
        "package calc\n\nfunc scaled(a int) int {\n\treturn Scale(a)\n}\n",
    );
    project.write("scale_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestScale(t *testing.T) {\n\tif scaled(2) != 4 {\n\t\tt.Fail()\n\t}\n}\n");
    project.write("outside_test.go", "package calc_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/calc\"\n)\n\nfunc TestOutside(t *testing.T) {\n\tif calc.Add(1, 1) != 2 {\n\t\tt.Fail()\n\t}\n}\n");
}

pub fn changes() -> Vec<Case> {
    vec![
        honest("the right fix", fix, Wanted::Green).variant(),
        honest(
            "the right fix, and the test renamed and moved",
            |project| {
                fix(project);
                let test = format!("\nfunc TestSubtract(t *testing.T) {{\n{CHECK_SUBTRACT}}}\n");
                project.replace(TESTS, &test, "");
                project.write("subtract_test.go", format!("package calc\n\nimport \"testing\"\n{}", test.replace("TestSubtract", "TestSubtractLess")));
            },
            Wanted::Green,
        ),
        honest(
            "two tests become a table",
            |project| {
                project.write(
                    TESTS,
                    "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tfor _, c := range []struct{ a, b, want int }{{2, 2, 4}, {2, 3, 5}} {\n\t\tif got := Add(c.a, c.b); got != c.want {\n\t\t\tt.Errorf(\"got %d\", got)\n\t\t}\n\t}\n}\n",
                );
            },
            Wanted::Green,
        )
        .with(|project| {
            let test = |name: &str, call: &str, sum: &str| {
                format!("\nfunc {name}(t *testing.T) {{\n\tif got := {call}; got != {sum} {{\n\t\tt.Errorf(\"got %d\", got)\n\t}}\n}}\n")
            };
            let tests = [test("TestAdd", "Add(2, 2)", "4"), test("TestAddMore", "Add(2, 3)", "5")];
            project.write(TESTS, format!("package calc\n\nimport \"testing\"\n{}", tests.concat()));
        }).variant(),
        honest(
            "a helper is extracted",
            |project| {
                fix(project);
                project.write(
                    TESTS,
                    "package calc\n\nimport \"testing\"\n\nfunc same(t *testing.T, want, got int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Errorf(\"%d, want %d\", got, want)\n\t}\n}\n\nfunc TestAdd(t *testing.T) {\n\tsame(t, 4, Add(2, 2))\n}\n\nfunc TestSubtract(t *testing.T) {\n\tsame(t, 2, Subtract(5, 3))\n}\n",
                );
            },
            Wanted::Green,
        ).variant(),
        honest(
            "an old test ends the process on the new code, and no other test is asked about",
            |project| {
                project.replace("must.go", "n > 5", "n > 3");
                project.replace("must_test.go", "4", "3");
            },
            Wanted::Declared(&["example.org/calc.TestMust"]),
        )
        .with(|project| {
            fix(project);
            project.write("must.go", "package calc\n\nfunc Must(n int) int {\n\tif n > 5 {\n\t\tpanic(\"large\")\n\t}\n\treturn n\n}\n");
            let test = |name: &str, value: &str| format!("package calc\n\nimport \"testing\"\n\nfunc {name}(t *testing.T) {{\n\tif Must({value}) != {value} {{\n\t\tt.Error(\"other\")\n\t}}\n}}\n");
            project.write("must_test.go", test("TestMust", "4"));
            project.write("same_test.go", test("TestSame", "2"));
        }),
        honest(
            "a signature changed, and its call in the tests",
            |project| {
                project.replace("calc.go", "Subtract(a, b int) int {\n\treturn a - b", "Subtract(a, b int, rest ...int) (int, error) {\n\treturn a - b, nil");
                project.replace(TESTS, "if got := Subtract(5, 3); got", "if got, _ := Subtract(5, 3); got");
            },
            Wanted::Declared(&["example.org/calc.TestSubtract"]),
        )
        .with(fix),
        honest(
            "a function is renamed, in a helper of the tests as well",
            |project| {
                project.replace("calc.go", "Scale(", "Times(");
                project.replace("helper_test.go", "Scale(", "Times(");
            },
            Wanted::Green,
        )
        .with(helper),
        honest(
            "a helper of the tests follows a signature: one thing to own, for the package beside it, too",
            |project| {
                project.replace("calc.go", "Scale(a int) int {\n\treturn 2 * a", "Scale(a, by int) int {\n\treturn by * a");
                project.replace("helper_test.go", "Scale(a)", "Scale(a, 2)");
                project.write("more_test.go", "package calc\n\nimport \"testing\"\n\ntype pair struct{ a, want int }\n\nfunc (p pair) holds() bool {\n\treturn Scale(p.a, 3) == p.want\n}\n\nvar pairs = []pair{{1, 3}, {2, 6}}\n\nfunc TestPairs(t *testing.T) {\n\tfor _, p := range pairs {\n\t\tif !p.holds() {\n\t\t\tt.Error(p)\n\t\t}\n\t}\n}\n");
            },
            Wanted::Declared(&["helper_test.go"]),
        )
        .with(helper),
        honest(
            "what did not build is mended, and a test that makes others asks more",
            |project| {
                fix(project);
                project.replace("calc.go", "\nvar broken int = \"\"\n", "");
                project.replace("parts_test.go", "\tt.Run(\"less\"", "\tt.Run(\"nothing\", func(t *testing.T) {\n\t\tif Subtract(5, 0) != 5 {\n\t\t\tt.Fail()\n\t\t}\n\t})\n\tt.Run(\"less\"");
            },
            Wanted::Green,
        )
        .with(|project| {
            project.append("calc.go", "\nvar broken int = \"\"\n");
            project.write("parts_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestParts(t *testing.T) {\n\tt.Run(\"less\", func(t *testing.T) {\n\t\tif Subtract(5, 3) != 2 {\n\t\t\tt.Fail()\n\t\t}\n\t})\n}\n");
        }),
        honest(
            "what did not build is mended, and nobody can run a test that makes others: it is owned with them",
            |project| {
                project.replace("calc.go", "\nvar broken int = \"\"\n", "");
                project.replace("calc.go", "Subtract(a, b int) int {\n\treturn a + b", "Subtract(a, b, c int) int {\n\treturn a - b - c");
                project.replace(TESTS, "Subtract(5, 3); got", "Subtract(5, 3, 0); got");
                project.replace("parts_test.go", "Subtract(5, 3)", "Subtract(5, 3, 0)");
            },
            Wanted::Declared(&["calc_test.go::TestSubtract", "parts_test.go::TestParts"]),
        )
        .with(|project| {
            project.append("calc.go", "\nvar broken int = \"\"\n");
            project.write("parts_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestParts(t *testing.T) {\n\tt.Run(\"less\", func(t *testing.T) {\n\t\tif Subtract(5, 3) != 2 {\n\t\t\tt.Fail()\n\t\t}\n\t})\n}\n");
        }).variant(),
        honest(
            "a package is moved, and its tests with it",
            |project| {
                project.rename("words/words.go", "text/words/words.go");
                project.rename("words/words_test.go", "text/words/words_test.go");
                project.replace("text/words/words_test.go", "example.org/calc/words", "example.org/calc/text/words");
            },
            Wanted::Green,
        )
        .with(|project| {
            fix(project);
            project.write("words/words.go", "package words\n\nfunc First(text string) string {\n\treturn text[:1]\n}\n");
            project.write(
                "words/words_test.go",
                "package words_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/calc/words\"\n)\n\nfunc TestFirst(t *testing.T) {\n\tif words.First(\"abc\") != \"a\" {\n\t\tt.Fail()\n\t}\n}\n",
            );
        }).variant(),
        honest(
            "output changed with its golden file",
            |project| {
                project.replace("calc.go", "return a - b", "return b - a");
                project.write("testdata/say.txt", "5 - 3 = -2\n");
                project.replace(TESTS, "got != 2", "got != -2");
            },
            Wanted::Declared(&["example.org/calc.TestSay", "example.org/calc.TestSubtract"]),
        )
        .with(|project| {
            fix(project);
            golden(project, "testdata/say.txt");
        }).variant(),
        honest(
            "a feature is removed with its tests",
            |project| {
                project.replace("calc.go", "\nfunc Subtract(a, b int) int {\n\treturn a - b\n}\n", "");
                project.replace(TESTS, &format!("\nfunc TestSubtract(t *testing.T) {{\n{CHECK_SUBTRACT}}}\n"), "");
            },
            Wanted::Declared(&["example.org/calc.TestSubtract"]),
        )
        .with(fix).variant(),
        honest(
            "a helper package of the tests grows with the code",
            |project| {
                fix(project);
                project.append("internal/testkit/testkit.go", "\nfunc More(t *testing.T, least, got int) {\n\tif got < least {\n\t\tt.Errorf(\"%d is less than %d\", got, least)\n\t}\n}\n");
                project.append(TESTS, "\nfunc TestAdd(t *testing.T) {\n\ttestkit.More(t, 4, Add(2, 3))\n}\n");
            },
            Wanted::Green,
        ).variant()
        .with(testkit),
        seeker(
            "code that asks whether it is tested",
            |project| {
                project.replace("calc.go", "package calc\n", "package calc\n\nimport \"testing\"\n");
                project.replace("calc.go", "Subtract(a, b int) int {\n", "Subtract(a, b int) int {\n\tif testing.Testing() {\n\t\treturn a - b\n\t}\n");
            },
            &["calc.go"],
        ),
    ]
}
