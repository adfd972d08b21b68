//! Maven beyond one module and unit tests: several modules below one project, and Failsafe.

use crate::common::{Project, outcomes};
use serde_json::json;

const FILES: [(&str, &str); 3] = [
    ("pom.xml", include_str!("../../../xtask/tools/maven/modules/pom.xml")),
    ("core/pom.xml", include_str!("../../../xtask/tools/maven/modules/core/pom.xml")),
    ("app/pom.xml", include_str!("../../../xtask/tools/maven/modules/app/pom.xml")),
];
const CORE: &str = "package shop;\n\npublic class Price {\n    public static int total(int a, int b) {\n        return a + b;\n    }\n}\n";
const APP: &str = "package shop;\n\npublic class Cart {\n    public static int twice(int a) {\n        return Price.total(a, a);\n    }\n}\n";

/// A class of tests with one test.
fn tests(class: &str, call: &str) -> String {
    format!(
        "package shop;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;\n\nclass {class} {{\n    @Test\n    void counts() {{\n        {call};\n    }}\n}}\n"
    )
}

/// Two modules: `core` with unit tests, and `app`, which needs it, with unit and integration tests.
/// A class of the same name is in both.
fn project(command: &str) -> Project {
    let project = Project::empty();
    project.prepare_maven();
    for (path, text) in FILES {
        project.write(path, text);
    }
    project.write("core/src/main/java/shop/Price.java", CORE);
    project.write("app/src/main/java/shop/Cart.java", APP);
    let unit = tests("PriceTest", "assertEquals(4, Price.total(2, 2))");
    project.write("core/src/test/java/shop/PriceTest.java", &unit);
    project.write("app/src/test/java/shop/PriceTest.java", &unit);
    project.write(
        "app/src/test/java/shop/CartIT.java",
        tests("CartIT", "assertEquals(4, Cart.twice(2))"),
    );
    project.write(
        "redgreen.toml",
        format!("[[checks]]\nname = \"unit\"\ncommand = \"mvn -B {command}\"\n"),
    );
    project.commit();
    project
}

#[test]
fn tests_of_all_modules_and_integration_tests_come_back_by_name() {
    let project = project("verify");
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "passed", "{:#}", tested.record);
    assert_eq!(
        outcomes(report),
        [
            "app/shop.CartIT.counts passed",
            "app/shop.PriceTest.counts passed",
            "core/shop.PriceTest.counts passed",
        ],
        "{report:#}"
    );
    // A module that is broken keeps those that need it from being tested.
    project.write("core/src/main/java/shop/Price.java", CORE.replace("a + b", "a - b"));
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "failed", "{:#}", tested.record);
    assert_eq!(outcomes(report), ["core/shop.PriceTest.counts failed"], "{report:#}");
    assert_eq!(report["complete"], false, "{report:#}");
    let failure = &report["tests"][0]["failure"];
    assert_eq!(
        failure["test_location"],
        json!({"file": "core/src/test/java/shop/PriceTest.java", "line": 10, "function": "PriceTest.counts"}),
        "{failure:#}"
    );
}

/// `integration-test` ends with 0 whatever the tests do: the reports are what counts.
#[test]
fn an_integration_test_that_fails_is_red_whatever_maven_says() {
    let project = project("integration-test");
    project.write("app/src/main/java/shop/Cart.java", APP.replace("(a, a)", "(a, 1)"));
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "failed", "{:#}", tested.record);
    assert_eq!(tested.checks()[0]["ended"]["code"], 0, "{:#}", tested.record);
    assert_eq!(
        outcomes(report),
        [
            "app/shop.CartIT.counts failed",
            "app/shop.PriceTest.counts passed",
            "core/shop.PriceTest.counts passed",
        ],
        "{report:#}"
    );
    let red =
        report["tests"].as_array().expect("tests").iter().find(|test| test["outcome"] == "failed");
    let failure = &red.expect("a red test")["failure"];
    assert_eq!((&failure["expected"], &failure["actual"]), (&"4".into(), &"3".into()));
    assert_eq!(
        failure["test_location"]["file"], "app/src/test/java/shop/CartIT.java",
        "{failure:#}"
    );
}

#[test]
fn an_integration_test_that_ends_the_process_is_not_green() {
    let project = project("verify");
    project.write("app/src/test/java/shop/CartIT.java", tests("CartIT", "System.exit(0)"));
    let tested = project.tested(&[]);
    let report = tested.report();
    assert_eq!(tested.verdict(), "failed", "{:#}", tested.record);
    assert_eq!(report["unfinished"], json!(["shop.CartIT"]), "{report:#}");
    assert_eq!(report["errors"][0]["error_type"], "ForkedVmEnded", "{report:#}");
}

/// Only the red tests run again, in the module and by the plugin that they belong to.
#[test]
fn an_integration_test_that_is_flaky_is_run_again_alone() {
    let project = project("verify");
    let luck = "try {\n            var path = java.nio.file.Path.of(\"../../agent/outcomes\");\n            var letters = java.nio.file.Files.readString(path);\n            java.nio.file.Files.writeString(path, letters.substring(1));\n            assertEquals('P', letters.charAt(0));\n        } catch (java.io.IOException error) {\n            throw new RuntimeException(error);\n        }";
    let counted = "try {\n            java.nio.file.Files.writeString(java.nio.file.Path.of(\"../../agent/runs\"), \"x\", java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.APPEND);\n        } catch (java.io.IOException error) {\n            throw new RuntimeException(error);\n        }";
    let class = |name: &str, body: &str| tests(name, body).replace("};\n    }\n}", "}\n    }\n}");
    project.write("app/src/test/java/shop/CartIT.java", class("CartIT", luck));
    project.write("app/src/test/java/shop/OtherIT.java", class("OtherIT", counted));
    project.commit();
    std::fs::write(project.outside().join("outcomes"), "PFP").expect("a file");
    let agent = "echo '// changed' >> core/src/main/java/shop/Price.java";
    let done = project.run(agent, &["--max-attempts", "1"]);
    let judged = done.last("judged");
    assert_eq!(judged["classes"]["flaky"][0]["test"], "app/shop.CartIT.counts", "{}", done.text());
    assert_eq!(judged["verdict"], "inconclusive", "{}", done.text());
    let runs = std::fs::read_to_string(project.outside().join("runs")).expect("a file");
    assert_eq!(runs, "xx", "{}", done.text());
}

/// Modules that Maven skips because one before them failed: their tests are not gone.
#[test]
fn tests_of_modules_that_were_skipped_are_not_lost() {
    let project = project("verify");
    let agent = "sed -i 's/a + b/a - b/' core/src/main/java/shop/Price.java";
    let done = project.run(agent, &["--max-attempts", "1"]);
    let judged = done.last("judged");
    assert_eq!(judged["verdict"], "failed", "{}", done.text());
    let classes = &judged["classes"];
    assert_eq!(classes["regressed"][0]["test"], "core/shop.PriceTest.counts", "{}", done.text());
    assert!(classes["lost"].is_null(), "{}", done.text());
}
