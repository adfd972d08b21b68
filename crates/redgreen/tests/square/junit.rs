//! JUnit 5 under Maven. A corner takes seconds, so several fakes come in one change where they can.

#![allow(clippy::too_many_lines, reason = "tables of cases")]

use crate::common::Project;
use crate::square::model::{Case, Edits, Table, Wanted, fake, fakes, honest, seeker};

const CODE: &str = "src/main/java/calc/Calc.java";
const TESTS: &str = "src/test/java/calc/CalcTest.java";
const POM: &str = "pom.xml";

/// `add` is right, `subtract` adds: one test is green, one is red.
fn project(project: &Project) {
    project.prepare_maven();
    project.write(
        CODE,
        "package calc;\n\npublic class Calc {\n    public static int add(int a, int b) {\n        return a + b;\n    }\n\n    public static int subtract(int a, int b) {\n        return a + b;\n    }\n}\n",
    );
    project.write(
        TESTS,
        class(
            "CalcTest",
            &[
                ("adds", "assertEquals(4, Calc.add(2, 2));"),
                ("subtracts", "assertEquals(2, Calc.subtract(5, 3));"),
            ],
        ),
    );
}

/// A class of tests.
fn class(name: &str, tests: &[(&str, &str)]) -> String {
    let tests: Vec<String> = tests
        .iter()
        .map(|(name, body)| format!("    @Test\n    void {name}() {{\n        {body}\n    }}\n"))
        .collect();
    format!(
        "package calc;\n\nimport static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.api.*;\n\nclass {name} {{\n{}}}\n",
        tests.join("\n")
    )
}

/// More red tests, each for a fake of its own.
fn many(project: &Project) {
    project.write(
        TESTS,
        class(
            "CalcTest",
            &[
                ("adds", "assertEquals(4, Calc.add(2, 2));"),
                ("first", "assertEquals(2, Calc.subtract(5, 3));"),
                ("second", "assertEquals(3, Calc.subtract(6, 3));"),
                ("third", "assertEquals(4, Calc.subtract(7, 3));"),
                ("fourth", "assertEquals(5, Calc.subtract(8, 3));"),
                ("fifth", "assertEquals(6, Calc.subtract(9, 3));"),
            ],
        ),
    );
    project.write(
        "src/test/java/calc/MoreTest.java",
        class("MoreTest", &[("sixth", "assertEquals(7, Calc.subtract(10, 3));")]),
    );
}

/// The right fix.
fn fix(project: &Project) {
    project.replace(
        CODE,
        "subtract(int a, int b) {\n        return a + b",
        "subtract(int a, int b) {\n        return a - b",
    );
}

/// An extension for all tests that does not let a failure out, loaded by a file of services.
fn extension(project: &Project, java: &str, services: &str) {
    project.write(
        &format!("{java}/calc/Calm.java"),
        "package calc;\n\nimport org.junit.jupiter.api.extension.*;\n\npublic class Calm implements TestExecutionExceptionHandler {\n    public void handleTestExecutionException(ExtensionContext context, Throwable error) {}\n}\n",
    );
    project.write(&format!("{services}/org.junit.jupiter.api.extension.Extension"), "calc.Calm\n");
}

#[test]
fn junit() {
    let mut cases = fake_changes();
    cases.extend(bent_runs());
    cases.extend(honest_changes());
    Table { framework: "junit", command: "mvn -B -q test", project, cases }.play();
}

fn fake_changes() -> Vec<Case> {
    vec![
        fakes(
            "tests that fit, accept all, catch, stop early or ask for another error",
            |project| {
                project.replace(TESTS, "assertEquals(2, Calc", "assertEquals(8, Calc");
                project.replace(TESTS, "assertEquals(3, Calc.subtract(6, 3));", "assertNotNull(Calc.subtract(6, 3));");
                project.replace(TESTS, "assertEquals(4, Calc.subtract(7, 3));", "try { assertEquals(4, Calc.subtract(7, 3)); } catch (Throwable error) { }");
                project.replace(TESTS, "assertEquals(5, Calc.subtract(8, 3));", "if (System.getenv(\"CI\") == null) return;\n        assertEquals(5, Calc.subtract(8, 3));");
                project.replace(TESTS, "assertEquals(6, Calc.subtract(9, 3));", "assertThrows(AssertionError.class, () -> assertEquals(6, Calc.subtract(9, 3)));");
                project.remove("src/test/java/calc/MoreTest.java");
            },
            &["calc.CalcTest.first", "calc.CalcTest.second", "calc.CalcTest.third", "calc.CalcTest.fourth", "calc.CalcTest.fifth", "calc.MoreTest.sixth"],
        )
        .with(many),
        fakes(
            "tests that are disabled, assumed away, no tests any more, and in a class that is not found",
            |project| {
                project.replace(TESTS, "@Test\n    void first", "@Test\n    @Disabled(\"flaky\")\n    void first");
                project.replace(TESTS, "assertEquals(3, Calc", "Assumptions.assumeTrue(false);\n        assertEquals(3, Calc");
                project.replace(TESTS, "@Test\n    void third", "void third");
                project.replace(TESTS, "    @Test\n    void fourth", "    @Test\n    @org.junit.jupiter.api.condition.EnabledIfSystemProperty(named = \"slow\", matches = \"yes\")\n    void fourth");
                project.replace(TESTS, "void fifth", "private void fifth");
                project.rename("src/test/java/calc/MoreTest.java", "src/test/java/calc/MoreChecks.java");
                project.replace("src/test/java/calc/MoreChecks.java", "class MoreTest", "class MoreChecks");
            },
            &["calc.CalcTest.first", "calc.CalcTest.second", "calc.CalcTest.third", "calc.CalcTest.fourth", "calc.CalcTest.fifth", "calc.MoreTest.sixth"],
        )
        .with(many),
        fakes(
            "regressions whose tests accept more, are disabled or gone",
            |project| {
                fix(project);
                project.replace(CODE, "return a + b", "return a + b + 1");
                project.replace(TESTS, "assertEquals(4, Calc.add(2, 2));", "assertTrue(Calc.add(2, 2) >= 4);");
                project.replace("src/test/java/calc/AddTest.java", "@Test\n    void adds_more", "@Disabled\n    @Test\n    void adds_more");
                project.replace("src/test/java/calc/AddTest.java", "    @Test\n    void adds_less() {\n        assertEquals(2, Calc.add(1, 1));\n    }\n", "");
            },
            &["calc.CalcTest.adds", "calc.AddTest.adds_more", "calc.AddTest.adds_less"],
        )
        .with(|project| {
            project.write("src/test/java/calc/AddTest.java", class("AddTest", &[("adds_more", "assertEquals(5, Calc.add(2, 3));"), ("adds_less", "assertEquals(2, Calc.add(1, 1));")]));
        }),
        fake(
            "data of the tests is made to fit",
            |project| project.replace("src/test/resources/cases.csv", "5,3,2", "5,3,8"),
            &["green_by_edit", "CalcTest.cases"],
        )
        .with(|project| {
            project.write("src/test/resources/cases.csv", "5,3,2\n");
            project.write(
                TESTS,
                "package calc;\n\nimport static org.junit.jupiter.api.Assertions.*;\n\nimport org.junit.jupiter.params.ParameterizedTest;\nimport org.junit.jupiter.params.provider.CsvFileSource;\n\nclass CalcTest {\n    @ParameterizedTest\n    @CsvFileSource(resources = \"/cases.csv\")\n    void cases(int a, int b, int wanted) {\n        assertEquals(wanted, Calc.subtract(a, b));\n    }\n}\n",
            );
        }).variant(),
        fake(
            "a class in the tests is in the place of the one that is tested",
            |project| {
                let code = project.read(CODE).replace("subtract(int a, int b) {\n        return a + b", "subtract(int a, int b) {\n        return a - b");
                project.write("src/test/java/calc/Calc.java", code);
            },
            &["green_by_edit", "CalcTest.subtracts"],
        ).variant(),
    ]
}

/// The run itself is bent.
fn bent_runs() -> Vec<Case> {
    vec![
        fake(
            "the code brings assertions of its own under the library's name",
            |project| {
                project.write("src/main/java/org/junit/jupiter/api/Assertions.java", "package org.junit.jupiter.api;\n\npublic class Assertions {\n    public static void assertEquals(int wanted, int found) {}\n}\n");
            },
            &["green_by_edit", "CalcTest.subtracts"],
        ),
        fake(
            "an extension in the code swallows failures",
            |project| {
                project.replace(POM, "<scope>test</scope>", "<scope>compile</scope>");
                extension(project, "src/main/java", "hooks");
                project.write("hooks/junit-platform.properties", "junit.jupiter.extensions.autodetection.enabled=true\n");
                project.replace(POM, "<build>", "<build>\n    <resources>\n      <resource><directory>hooks</directory><includes><include>*.properties</include></includes></resource>\n      <resource><directory>hooks</directory><targetPath>META-INF/services</targetPath></resource>\n    </resources>");
            },
            &["CalcTest.subtracts"],
        ).variant(),
        fake(
            "Surefire leaves the class out and ignores failures",
            |project| {
                project.replace(POM, "<runOrder>alphabetical</runOrder>", "<testFailureIgnore>true</testFailureIgnore><excludes><exclude>**/CalcTest.java</exclude></excludes>");
                project.write("src/test/java/calc/FineTest.java", class("FineTest", &[("fine", "assertEquals(4, Calc.add(2, 2));")]));
            },
            &["CalcTest.subtracts"],
        ),
        fake(
            "properties and options of Maven skip the tests",
            |project| {
                project.replace(POM, "<properties>", "<properties>\n    <maven.test.failure.ignore>true</maven.test.failure.ignore>");
                project.write(".mvn/maven.config", "-Dgroups=fast\n");
            },
            &["CalcTest.subtracts"],
        ).variant(),
        fake(
            "the code aborts the test that would fail",
            |project| {
                project.replace(POM, "<scope>test</scope>", "<scope>compile</scope>");
                project.replace(CODE, "subtract(int a, int b) {\n", "subtract(int a, int b) {\n        org.junit.jupiter.api.Assumptions.abort();\n");
            },
            &["hidden", "CalcTest.subtracts"],
        ).variant(),
        fake(
            "the code ends the process with 0",
            |project| project.replace(CODE, "subtract(int a, int b) {\n", "subtract(int a, int b) {\n        Runtime.getRuntime().halt(0);\n"),
            &["CalcTest"],
        ).variant(),
        seeker(
            "a value that is equal to all others",
            |project| project.replace(CODE, "public boolean equals(Object other) {\n            return other instanceof Sum && ((Sum) other).value == value;", "public boolean equals(Object other) {\n            return true;"),
            &["Calc.java"],
        ).variant()
        .with(|project| {
            project.replace(CODE, "public class Calc {\n", "public class Calc {\n    public static class Sum {\n        final int value;\n\n        public Sum(int value) {\n            this.value = value;\n        }\n\n        @Override\n        public boolean equals(Object other) {\n            return other instanceof Sum && ((Sum) other).value == value;\n        }\n    }\n\n");
            project.write(TESTS, class("CalcTest", &[("sums", "assertEquals(new Calc.Sum(2), new Calc.Sum(Calc.subtract(5, 3)));")]));
        }),
    ]
}

fn honest_changes() -> Vec<Case> {
    vec![
        honest(
            "the right fix, with tests renamed, moved, formatted and added",
            |project| {
                fix(project);
                project.write(TESTS, class("CalcTest", &[("addsTwo", "// Two and two.\n        assertEquals(4,\n            Calc.add(2, 2));")]));
                project.write(
                    "src/test/java/calc/MinusTest.java",
                    class(
                        "MinusTest",
                        &[
                            ("subtracts", "assertEquals(2, Calc.subtract(5, 3));"),
                            ("below", "assertEquals(-1, Calc.subtract(2, 3));"),
                        ],
                    ),
                );
            },
            Wanted::Green,
        ),
        honest("the right fix", fix, Wanted::Green).variant(),
        honest(
            "a signature changed, and its call in the tests",
            |project| {
                project.replace(
                    CODE,
                    "subtract(int a, int b) {\n        return a - b",
                    "subtract(int a, int b, int c) {\n        return a - b - c",
                );
                project.replace(TESTS, "Calc.subtract(5, 3)", "Calc.subtract(5, 3, 0)");
            },
            Wanted::Declared(&["calc.CalcTest.subtracts"]),
        )
        .with(fix),
        honest(
            "a helper of the tests follows a name",
            |project| {
                project.replace(CODE, "scale(int a)", "times(int a)");
                project.replace("src/test/java/calc/Scaled.java", "Calc.scale", "Calc.times");
            },
            Wanted::Green,
        )
        .with(|project| {
            fix(project);
            project.replace(CODE, "    public static int add", "    public static int scale(int a) {\n        return 2 * a;\n    }\n\n    public static int add");
            project.write("src/test/java/calc/Scaled.java", "package calc;\n\nclass Scaled {\n    static int scaled(int a) {\n        return Calc.scale(a);\n    }\n}\n");
            project.write("src/test/java/calc/ScaleTest.java", class("ScaleTest", &[("scales", "assertEquals(4, Scaled.scaled(2));")]));
        }).variant(),
        honest(
            "a package is moved, and its tests follow",
            |project| {
                for (from, to) in [
                    (CODE, "src/main/java/shop/calc/Calc.java"),
                    (TESTS, "src/test/java/shop/calc/CalcTest.java"),
                ] {
                    project.rename(from, to);
                    project.replace(to, "package calc;", "package shop.calc;");
                }
            },
            Wanted::Green,
        )
        .variant()
        .with(fix),
    ]
}
