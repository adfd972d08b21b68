//! Which commands run tests with Maven or Gradle, and which check a project wants.

use crate::adapter::{ProjectFiles, SuggestedCheck};
use crate::command::runs;
use crate::roles::{name_of, split};

/// Maven's phases and goals that run tests.
const MAVEN_GOALS: &[&str] = &[
    "test",
    "package",
    "verify",
    "install",
    "deploy",
    "integration-test",
    "surefire:test",
    "failsafe:integration-test",
    "failsafe:verify",
];
/// Gradle's tasks that run tests, beside those whose names end in `Test` or `Tests`.
const GRADLE_TASKS: &[&str] = &["test", "check", "build", "allTests"];

/// What has Gradle leave a task out.
const EXCLUDING: &[&str] = &["-x", "--exclude-task"];

/// Whether a command runs tests with Maven or Gradle.
pub(super) fn runs_tests(command: &str) -> bool {
    runs(command, |program, arguments| {
        let mut goals = arguments.iter().filter(|word| !word.starts_with('-'));
        match program {
            "mvn" | "mvnw" | "mvnd" => {
                goals.any(|goal| is_maven_goal(goal)) && !arguments.iter().any(|it| leaves_out(it))
            }
            "gradle" | "gradlew" => {
                let out = |pair: &[String]| match pair {
                    [switch, task] => EXCLUDING.contains(&switch.as_str()) && is_gradle_task(task),
                    _ => false,
                };
                goals.any(|task| is_gradle_task(task)) && !arguments.windows(2).any(out)
            }
            _ => false,
        }
    })
}

/// Whether a property has Maven leave the tests out.
fn leaves_out(word: &str) -> bool {
    let property = word.strip_prefix("-D").unwrap_or_default();
    let (name, value) = property.split_once('=').unwrap_or((property, "true"));
    matches!(name, "skipTests" | "maven.test.skip") && value != "false"
}

fn is_maven_goal(goal: &str) -> bool {
    // A goal may carry the plugin's coordinates before it, and an execution behind it.
    let goal = goal.split('@').next().unwrap_or(goal);
    MAVEN_GOALS.contains(&goal)
        || goal.ends_with("maven-surefire-plugin:test")
        || goal.ends_with("maven-failsafe-plugin:integration-test")
}

fn is_gradle_task(task: &str) -> bool {
    let task = task.rsplit(':').next().unwrap_or(task);
    GRADLE_TASKS.contains(&task) || task.ends_with("Test") || task.ends_with("Tests")
}

/// The check of the outermost project; Maven's own wrapper or Gradle's where it is there.
pub(super) fn suggested(project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
    let names =
        ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];
    let manifest = project
        .paths()
        .iter()
        .filter(|path| names.contains(&name_of(path)))
        .min_by_key(|path| (path.matches('/').count(), path.as_str()))?;
    let (folders, name) = split(manifest);
    let folder = folders.join("/");
    let has = |file: &str| {
        let path = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
        project.paths().contains(&path)
    };
    // Gradle runs tests again only if their results are gone.
    let (name, command) = match (name, has("mvnw"), has("gradlew")) {
        ("pom.xml", true, _) => ("maven", "./mvnw -B test"),
        ("pom.xml", false, _) => ("maven", "mvn -B test"),
        (_, _, true) => ("gradle", "./gradlew cleanTest test"),
        _ => ("gradle", "gradle cleanTest test"),
    };
    Some(SuggestedCheck {
        name: name.to_owned(),
        command: command.to_owned(),
        framework: super::ID,
        folder,
        reports: Vec::new(),
    })
}
