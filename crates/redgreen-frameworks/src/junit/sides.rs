//! What of a Maven or Gradle project judges.

use std::sync::Arc;

use regex::Regex;

use crate::sides::splice::{Judges, braces, spliced, xml};
use crate::sides::{Mixture, Rule, SideRequest};

/// Plugins of Maven that run tests.
const PLUGINS: &[&str] = &[
    "plugin maven-surefire-plugin",
    "plugin maven-failsafe-plugin",
    "plugin maven-invoker-plugin",
    "plugin gmavenplus-plugin",
    "plugin jacoco-maven-plugin",
    "plugin pitest-maven",
    // These run anything, at any time.
    "plugin maven-antrun-plugin",
    "plugin exec-maven-plugin",
    "plugin groovy-maven-plugin",
];
/// Libraries that judge: classes of a project in their packages stand in for them.
const LIBRARIES: &[&str] = &[
    "org/junit",
    "junit/framework",
    "org/testng",
    "org/assertj",
    "org/hamcrest",
    "org/mockito",
    "org/opentest4j",
    "org/apache/maven/surefire",
    "com/google/common/truth",
    "io/kotest",
    "org/spockframework",
];

/// The rules for a check that runs Maven or Gradle.
pub(super) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/.mvn/**", "maven: its configuration"),
        Rule::tests("**/{mvnw,mvnw.cmd,gradlew,gradlew.bat}", "maven, gradle: what runs the tests"),
        Rule::tests("**/gradle/wrapper/**", "gradle: what runs the tests"),
        Rule::tests(
            // In whatever folder of resources: the manifest may say where it goes.
            "**/{org.junit,org.testng}.*",
            "junit: loaded by its launcher",
        ),
        Rule::tests("**/{junit-platform.properties,testng*.xml}", "junit: its configuration"),
        Rule::mixed("**/pom.xml", &pom(), "pom.xml: how tests are run"),
        Rule::mixed("**/*.{gradle,gradle.kts}", &gradle(), "gradle: how tests are run"),
    ];
    let any = Regex::new(&LIBRARIES.join("|"));
    let may_be_inside = |path: &&String| any.as_ref().map_or(true, |any| any.is_match(path));
    let paths: Vec<&String> = request.baseline.paths().iter().filter(may_be_inside).collect();
    for library in LIBRARIES {
        // A project that is this library is judged by its tests.
        let inside = format!("/{library}/");
        if !paths.iter().any(|path| path.contains(&inside)) {
            let reason = format!("junit: stands in for {}", library.replace('/', "."));
            rules.push(Rule::tests(format!("**/{library}/**"), reason));
        }
    }
    rules
}

/// A build script of Gradle. Taken whole it would hold back every dependency that a change adds.
fn gradle() -> Arc<Mixture> {
    let parts = &["blocks that configure tests", "source sets of tests"];
    Mixture::new(parts, |code, tests| {
        // A script without its code is none.
        let tests = tests.filter(|_| code.is_some());
        spliced(|text| braces::read(text, judges_statement), code, tests)
    })
}

/// The statements of a build script, by what stands before their brace.
fn judges_statement(header: &str) -> Judges {
    let holds = ["subprojects", "allprojects", "android", "afterEvaluate", "sourceSets", "tasks"];
    let word = header.split([' ', '(', '<', '=', '.']).next().unwrap_or_default();
    let task = header.strip_prefix("tasks.").unwrap_or(header);
    let named = task.split([' ', '(', '<', '=', '.']).next().unwrap_or_default();
    let chosen = ["named", "register", "withType", "getByName", "configureEach", "matching"];
    let small = task.to_ascii_lowercase();
    let tests = ["\"test", "'test", "test\"", "test'", "<test>", "(test)", "test::class"];
    let about_tests = tests.iter().any(|mark| small.contains(mark));
    let configures = |name: &str| {
        matches!(name, "test" | "testing" | "testOptions" | "testFixtures")
            || name.ends_with("Test")
            || name.starts_with("jacoco")
    };
    match () {
        () if configures(named) => Judges::Yes,
        () if chosen.contains(&named) && about_tests => Judges::Yes,
        () if holds.contains(&word) && task == header => Judges::Partly,
        () => Judges::No,
    }
}

fn pom() -> Arc<Mixture> {
    let parts = &[
        "surefire, failsafe and other plugins that run tests",
        "properties that steer them",
        "libraries that judge (those that are added stay)",
        "testSourceDirectory and testResources",
    ];
    Mixture::new(parts, |code, tests| {
        // A project without its code is none.
        let tests = tests.filter(|_| code.is_some());
        spliced(|text| xml::read(text, judges), code, tests)
    })
}

/// The elements of a `pom.xml`.
fn judges(path: &[&str]) -> Judges {
    let Some(("project", inside)) =
        path.split_first().map(|(first, rest)| (first.split(' ').next().unwrap_or_default(), rest))
    else {
        return Judges::No;
    };
    // A profile may hold what a project holds.
    let inside = match inside {
        ["profiles"] => return Judges::Partly,
        ["profiles", profile] if profile.starts_with("profile") => return Judges::Partly,
        ["profiles", profile, rest @ ..] if profile.starts_with("profile") => rest,
        inside => inside,
    };
    match inside {
        [] | ["build" | "properties"] => Judges::Partly,
        ["build", "plugins" | "pluginManagement"] => Judges::Partly,
        ["build", "pluginManagement", "plugins"] => Judges::Partly,
        ["build", "plugins", plugin] | ["build", "pluginManagement", "plugins", plugin]
            if PLUGINS.contains(plugin) =>
        {
            Judges::Yes
        }
        ["build", "testSourceDirectory" | "testResources" | "testOutputDirectory"] => Judges::Yes,
        ["properties", name] if steers(name) => Judges::Yes,
        ["dependencies" | "dependencyManagement"] | ["dependencyManagement", "dependencies"] => {
            Judges::Partly
        }
        ["dependencies", library] | ["dependencyManagement", "dependencies", library]
            if asserts(library) =>
        {
            Judges::Or
        }
        _ => Judges::No,
    }
}

/// Whether a dependency is a library that judges.
fn asserts(dependency: &str) -> bool {
    let artifact = dependency.strip_prefix("dependency ").unwrap_or_default();
    let families = ["junit", "assertj", "hamcrest", "mockito", "testng", "opentest4j", "kotest"];
    artifact == "truth" || families.iter().any(|family| artifact.starts_with(family))
}

/// Whether a property steers tests. A version is a dependency, and the code's.
fn steers(name: &str) -> bool {
    let small = name.to_ascii_lowercase();
    let exact = ["groups", "excludedgroups", "argline", "it.test"].contains(&small.as_str());
    let words = ["skip", "test", "surefire", "failsafe"].iter().any(|word| small.contains(word));
    exact || (words && !small.ends_with("version"))
}
