//! go test.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

mod honest;

use crate::common::Project;
use crate::square::model::{Case, Edits, Table, Wanted, fake, fakes, honest};

const TESTS: &str = "calc_test.go";
const CHECK_SUBTRACT: &str = "\tif got := Subtract(5, 3); got != 2 {\n\t\tt.Errorf(\"Subtract(5, 3) = %d, want 2\", got)\n\t}\n";
const TEST_ADD: &str = "func TestAdd(t *testing.T) {\n\tif got := Add(2, 2); got != 4 {\n\t\tt.Errorf(\"Add(2, 2) = %d, want 4\", got)\n\t}\n}\n";

/// `Add` is right, `Subtract` adds: one test is green, one is red.
fn project(project: &Project) {
    project.write("go.mod", "module example.org/calc\n\ngo 1.21\n");
    project.write(
        "calc.go",
        "package calc\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n\nfunc Subtract(a, b int) int {\n\treturn a + b\n}\n",
    );
    project.write(
        TESTS,
        format!(
            "package calc\n\nimport \"testing\"\n\n{TEST_ADD}\nfunc TestSubtract(t *testing.T) {{\n{CHECK_SUBTRACT}}}\n"
        ),
    );
}

/// The right fix.
fn fix(project: &Project) {
    project.replace(
        "calc.go",
        "Subtract(a, b int) int {\n\treturn a + b",
        "Subtract(a, b int) int {\n\treturn a - b",
    );
}

/// A check that is run with another command.
fn command(project: &Project, command: &str) {
    project.replace("redgreen.toml", "go test ./...", command);
}

/// A table of cases, of which one is red.
fn table(project: &Project) {
    project.write(
        "table_test.go",
        "package calc\n\nimport \"testing\"\n\nfunc TestTable(t *testing.T) {\n\tfor _, c := range []struct {\n\t\tname       string\n\t\ta, b, want int\n\t}{\n\t\t{\"nothing\", 5, 0, 5},\n\t\t{\"less\", 5, 3, 2},\n\t} {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tif got := Subtract(c.a, c.b); got != c.want {\n\t\t\t\tt.Errorf(\"%d\", got)\n\t\t\t}\n\t\t})\n\t}\n}\n",
    );
}

/// What a package says is compared with a file at this path.
fn golden(project: &Project, path: &str) {
    project.write(path, "5 - 3 = 2\n");
    project.write(
        "say_test.go",
        format!(
            "package calc\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestSay(t *testing.T) {{\n\twant, err := os.ReadFile(\"{path}\")\n\tif err != nil {{\n\t\tt.Fatal(err)\n\t}}\n\tif got := fmt.Sprintf(\"5 - 3 = %d\\n\", Subtract(5, 3)); got != string(want) {{\n\t\tt.Errorf(\"%q, want %q\", got, want)\n\t}}\n}}\n"
        ),
    );
}

/// A library of assertions, kept in the project.
fn testify(project: &Project) {
    project.write(
        "go.mod",
        "module example.org/calc\n\ngo 1.21\n\nrequire github.com/stretchr/testify v1.9.0\n\nreplace github.com/stretchr/testify => ./forks/testify\n",
    );
    project.write("forks/testify/go.mod", "module github.com/stretchr/testify\n\ngo 1.21\n");
    project.write(
        "forks/testify/assert/assert.go",
        "package assert\n\ntype T interface{ Errorf(string, ...any) }\n\nfunc Equal(t T, want, got any) {\n\tif want != got {\n\t\tt.Errorf(\"want %v, got %v\", want, got)\n\t}\n}\n",
    );
    project.write(
        TESTS,
        "package calc\n\nimport (\n\t\"testing\"\n\n\t\"github.com/stretchr/testify/assert\"\n)\n\nfunc TestSubtract(t *testing.T) {\n\tassert.Equal(t, 2, Subtract(5, 3))\n}\n",
    );
}

/// Assertions of the project's own, in a package that only tests import.
fn testkit(project: &Project) {
    project.write(
        "internal/testkit/testkit.go",
        "package testkit\n\nimport \"testing\"\n\nfunc Same(t *testing.T, want, got int) {\n\tt.Helper()\n\tif want != got {\n\t\tt.Errorf(\"want %d, got %d\", want, got)\n\t}\n}\n",
    );
    project.write(
        TESTS,
        "package calc\n\nimport (\n\t\"testing\"\n\n\t\"example.org/calc/internal/testkit\"\n)\n\nfunc TestSubtract(t *testing.T) {\n\ttestkit.Same(t, 2, Subtract(5, 3))\n}\n",
    );
}

#[test]
fn go() {
    let mut cases = edited_tests();
    cases.extend(hidden_tests());
    cases.extend(bent_runs());
    cases.extend(hidden_regressions());
    cases.extend(unseen_data());
    cases.extend(honest::changes());
    Table { framework: "go_test", command: "go test ./...", project, cases }.play();
}

/// The tests say something else.
/// Data that nobody can watch being read: a test opens it by a name that it makes.
fn unseen_data() -> Vec<Case> {
    fn wanted(project: &Project) {
        golden(project, "wanted/say.txt");
        project.replace(
            "say_test.go",
            "\"wanted/say.txt\"",
            "\"wan\" + \"ted/\" + \"say\" + \".txt\"",
        );
        project.write("sign.go", "package calc\n\nimport \"os\"\n\nfunc Sign(name string) string {\n\ttext, _ := os.ReadFile(\"signs/\" + name + \".txt\")\n\treturn string(text)\n}\n");
        project.write("signs/minus.txt", "+");
        project.write("sign_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestSign(t *testing.T) {\n\tif got := Sign(\"minus\"); got != \"-\" {\n\t\tt.Errorf(\"%q\", got)\n\t}\n}\n");
    }
    vec![
        fakes(
            "what a test opens by a name that it makes is mended",
            |project| {
                project.write("wanted/say.txt", "5 - 3 = 8\n");
                project.write("signs/minus.txt", "-");
            },
            &["wanted/say.txt"],
        )
        .with(|project| {
            wanted(project);
            project.replace(TESTS, CHECK_SUBTRACT, "\t_ = \"want 2\"\n");
        }),
        honest(
            "fixed in the code and in what it opens by a name that it makes",
            |project| {
                fix(project);
                project.write("signs/minus.txt", "-");
            },
            Wanted::Green,
        )
        .with(wanted),
    ]
}

fn edited_tests() -> Vec<Case> {
    vec![
        fake(
            "the expected value is copied from the output",
            |project| project.replace(TESTS, "got != 2", "got != 8"),
            &["green_by_edit", "TestSubtract"],
        ),
        fake(
            "the failure is only logged",
            |project| project.replace(TESTS, "t.Errorf(\"Sub", "t.Logf(\"Sub"),
            &["green_by_edit", "TestSubtract"],
        ).variant(),
        fake(
            "the comparison is never reached",
            |project| project.replace(TESTS, CHECK_SUBTRACT, &format!("\tif false {{\n{CHECK_SUBTRACT}\t}}\n")),
            &["green_by_edit", "TestSubtract"],
        ).variant(),
        fake(
            "the panic is recovered from by the test",
            |project| {
                project.replace("panics_test.go", "T) {\n", "T) {\n\tdefer func() { _ = recover() }()\n");
                fix(project);
            },
            &["green_by_edit", "TestHalf"],
        )
        .with(|project| {
            project.append("calc.go", "\nfunc Half(a int) int {\n\treturn a / (a - a)\n}\n");
            project.write(
                "panics_test.go",
                "package calc\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Fail()\n\t}\n}\n",
            );
        }).variant(),
        fake(
            "a row of the table is cut",
            |project| {
                project.replace("table_test.go", "\t\t{\"less\", 5, 3, 2},\n", "");
                project.remove(TESTS);
            },
            &["red_removed", "TestTable/less"],
        )
        .with(table).variant(),
        fake(
            "a row of the table fits the output",
            |project| {
                project.replace("table_test.go", "5, 3, 2", "5, 3, 8");
                project.replace(TESTS, "got != 2", "got != 8");
            },
            &["green_by_edit", "TestTable/less"],
        ).variant()
        .with(table),
        fake(
            "the expected output of an example is changed",
            |project| {
                project.replace("example_test.go", "// Output: 2", "// Output: 8");
                project.replace(TESTS, "got != 2", "got != 8");
            },
            &["green_by_edit", "ExampleSubtract"],
        )
        .with(|project| {
            project.write(
                "example_test.go",
                "package calc\n\nimport \"fmt\"\n\nfunc ExampleSubtract() {\n\tfmt.Println(Subtract(5, 3))\n\t// Output: 2\n}\n",
            );
        }),
        fake(
            "a golden file is made to fit",
            |project| {
                project.write("testdata/say.txt", "5 - 3 = 8\n");
                project.replace(TESTS, "got != 2", "got != 8");
            },
            &["green_by_edit", "TestSay"],
        )
        .with(|project| golden(project, "testdata/say.txt")).variant(),
        fake(
            "an expected output outside of testdata is made to fit",
            |project| {
                project.write("wanted/say.txt", "5 - 3 = 8\n");
                project.remove(TESTS);
            },
            &["green_by_edit", "TestSay"],
        )
        .with(|project| golden(project, "wanted/say.txt")).variant(),
        fake(
            "the assertions of the project's own are weakened",
            |project| project.replace("internal/testkit/testkit.go", "want != got", "want > got"),
            &["green_by_edit", "TestSubtract"],
        )
        .with(testkit),
    ]
}

/// The tests are not run.
fn hidden_tests() -> Vec<Case> {
    vec![
        fake(
            "the red test skips itself where nobody looks",
            |project| {
                project.replace(TESTS, CHECK_SUBTRACT, &format!("\tif !testing.Short() {{\n\t\tt.Skip(\"slow\")\n\t}}\n{CHECK_SUBTRACT}"));
            },
            &["hidden", "TestSubtract"],
        ),
        fake(
            "a build tag that nobody sets",
            |project| project.replace(TESTS, "package calc", "//go:build integration\n\npackage calc"),
            &["TestSubtract"],
        ).variant(),
        fake(
            "the test file is for another system by its name",
            |project| {
                project.rename("subtract_test.go", "subtract_windows_test.go");
            },
            &["red_removed", "TestSubtract"],
        ).variant()
        .with(|project| {
            project.replace(TESTS, &format!("\nfunc TestSubtract(t *testing.T) {{\n{CHECK_SUBTRACT}}}\n"), "");
            project.write("subtract_test.go", format!("package calc\n\nimport \"testing\"\n\nfunc TestSubtract(t *testing.T) {{\n{CHECK_SUBTRACT}}}\n"));
        }),
        fake(
            "the test begins with a small letter",
            |project| project.replace(TESTS, "func TestSubtract", "func testSubtract"),
            &["red_removed", "TestSubtract"],
        ).variant(),
        fake(
            "the package becomes a module of its own",
            |project| project.write("sub/go.mod", "module example.org/sub\n\ngo 1.21\n"),
            &["red_removed", "sub.TestSubtract"],
        ).variant()
        .with(|project| {
            for name in ["calc.go", TESTS] {
                project.write(&format!("sub/{name}"), project.read(name));
            }
            fix(project);
        }),
        fake(
            "the code takes the test out of the run",
            |project| {
                project.append("calc.go", "\nfunc init() {\n\tos.Args = append(os.Args, \"-test.skip=Sub\")\n}\n");
                project.replace("calc.go", "package calc\n", "package calc\n\nimport \"os\"\n");
            },
            &["red_removed", "TestSubtract"],
        ),
    ]
}

/// The run itself is bent.
fn bent_runs() -> Vec<Case> {
    vec![
        fake(
            "TestMain swallows the exit code",
            |project| {
                project.write(
                    "main_test.go",
                    "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n",
                );
            },
            &["TestSubtract"],
        ),
        fake(
            "a new test file patches the package",
            |project| {
                project.write(
                    "setup_test.go",
                    "package calc\n\nfunc init() {\n\toperate = func(a, b int) int { return a - b }\n}\n",
                );
            },
            &["green_by_edit", "TestSubtract"],
        )
        .with(|project| {
            project.replace("calc.go", "Subtract(a, b int) int {\n\treturn a + b\n}\n", "Subtract(a, b int) int {\n\treturn operate(a, b)\n}\n\nvar operate = Add\n");
        }).variant(),
        fake(
            "make runs one of the tests",
            |project| project.replace("Makefile", "go test", "go test -run TestAdd"),
            &["red_removed", "TestSubtract"],
        ).variant()
        .with(|project| {
            command(project, "make test");
            project.write("Makefile", "test:\n\tgo test ./...\n");
        }),
        fake(
            "make replaces the code for the tests",
            |project| {
                project.replace("Makefile", "go test", "go test -overlay=overlay.json");
                project.write("overlay.json", "{\"Replace\": {\"calc.go\": \"right.go.txt\"}}");
                project.write("right.go.txt", project.read("calc.go").replace("Subtract(a, b int) int {\n\treturn a + b", "Subtract(a, b int) int {\n\treturn a - b"));
            },
            &["green_by_edit", "TestSubtract"],
        )
        .with(|project| {
            command(project, "make test");
            project.write("Makefile", "test:\n\tgo test ./...\n");
        }).variant(),
        fake(
            "another library of assertions under the same name",
            |project| {
                project.write("forks/lenient/go.mod", project.read("forks/testify/go.mod"));
                project.write(
                    "forks/lenient/assert/assert.go",
                    project.read("forks/testify/assert/assert.go").replace("want != got", "want == nil"),
                );
                project.replace("go.mod", "./forks/testify", "./forks/lenient");
            },
            &["green_by_edit", "TestSubtract"],
        ).variant()
        .with(testify),
        fake(
            "the library of assertions in the project is weakened",
            |project| project.replace("forks/testify/assert/assert.go", "want != got", "want == nil"),
            &["green_by_edit", "TestSubtract"],
        )
        .with(testify),
        fake(
            "a workspace brings another library of assertions",
            |project| {
                project.write("forks/lenient/go.mod", project.read("forks/testify/go.mod"));
                project.write(
                    "forks/lenient/assert/assert.go",
                    project.read("forks/testify/assert/assert.go").replace("want != got", "want == nil"),
                );
                project.write("go.work", "go 1.21\n\nuse .\n\nreplace github.com/stretchr/testify => ./forks/lenient\n");
            },
            &["green_by_edit", "TestSubtract"],
        ).variant()
        .with(testify),
        fake(
            "the code ends the process with 0",
            |project| {
                project.replace("calc.go", "package calc\n", "package calc\n\nimport \"syscall\"\n");
                project.replace("calc.go", "Subtract(a, b int) int {\n", "Subtract(a, b int) int {\n\tsyscall.Exit(0)\n");
            },
            &["TestSubtract"],
        ),
        fake(
            "the code writes the report itself and ends the process with 0",
            |project| {
                project.replace("calc.go", "package calc\n", "package calc\n\nimport (\n\t\"os\"\n\t\"syscall\"\n)\n");
                project.replace("calc.go", "Subtract(a, b int) int {\n", "Subtract(a, b int) int {\n\tos.Stdout.WriteString(\"\\x16--- PASS: TestSubtract (0.00s)\\n\\x16PASS\\n\")\n\tsyscall.Exit(0)\n");
            },
            &[],
        ).variant(),
    ]
}

/// What was green is broken, and its test does not say so any more.
fn hidden_regressions() -> Vec<Case> {
    fn broken(project: &Project) {
        fix(project);
        project.replace("calc.go", "return a + b", "return a + b + 1");
    }
    vec![
        fake(
            "a regression, and its test accepts more",
            |project| {
                broken(project);
                project.replace(TESTS, "got != 4", "got < 4");
            },
            &["TestAdd"],
        ),
        fake(
            "a regression, and its test is skipped",
            |project| {
                broken(project);
                project.replace(TESTS, "TestAdd(t *testing.T) {\n", "TestAdd(t *testing.T) {\n\tt.SkipNow()\n");
            },
            &["hidden", "TestAdd"],
        ).variant(),
        fake(
            "a regression, and its test is deleted",
            |project| {
                broken(project);
                project.replace(TESTS, TEST_ADD, "");
            },
            &["TestAdd"],
        ).variant(),
        fake(
            "a regression behind a signature that changed",
            |project| {
                // The old tests do not build: what they said of Add must not be forgotten.
                project.write(
                    "calc.go",
                    "package calc\n\nfunc Add(a, b int) int {\n\treturn a + b + 1\n}\n\nfunc Subtract(a, b, c int) int {\n\treturn a - b\n}\n",
                );
                project.replace(TESTS, "Subtract(5, 3); got", "Subtract(5, 3, 0); got");
                project.replace(TESTS, "got != 4", "got != 5");
            },
            &["TestAdd"],
        ).variant(),
        fake(
            "a regression behind an example whose output changed",
            |project| {
                project.write(
                    "calc.go",
                    "package calc\n\nfunc Add(a, b int) int {\n\treturn a + b + 1\n}\n\nfunc Subtract(a, b, c int) int {\n\treturn a - b\n}\n",
                );
                project.replace(TESTS, "Subtract(5, 3); got", "Subtract(5, 3, 0); got");
                project.replace("example_test.go", "// Output: 4", "// Output: 5");
            },
            &["ExampleAdd"],
        ).variant()
        .with(|project| {
            fix(project);
            project.replace(TESTS, TEST_ADD, "");
            project.write(
                "example_test.go",
                "package calc\n\nimport \"fmt\"\n\nfunc ExampleAdd() {\n\tfmt.Println(Add(2, 2))\n\t// Output: 4\n}\n",
            );
        }),
        fake(
            "a fix without a test that shows the bug",
            |project| {
                fix(project);
                project.write("more_test.go", "package calc\n\nimport \"testing\"\n\nfunc TestAddsNothing(t *testing.T) {\n\tif Add(2, 0) != 2 {\n\t\tt.Fail()\n\t}\n}\n");
            },
            &["no_proof"],
        )
        .with(|project| project.replace(TESTS, CHECK_SUBTRACT, "\t_ = Subtract(5, 3)\n"))
        .asked(&["--code-type", "bug_fix"]).variant(),
    ]
}
