//! What Maven needs to run tests with JUnit 5, in a local repository of our own: filled once with
//! the network, so that the tests can run without it.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::project::capture;

/// The project that the tests share; every plugin and dependency has its exact version.
const PROJECT: &str = include_str!("../../tools/maven/pom.xml");
/// Two modules below one project, with integration tests: their project files, by their folders.
const MODULES: [(&str, &str); 3] = [
    ("", include_str!("../../tools/maven/modules/pom.xml")),
    ("core", include_str!("../../tools/maven/modules/core/pom.xml")),
    ("app", include_str!("../../tools/maven/modules/app/pom.xml")),
];
/// One test of each kind that the fixtures have, so that everything they need is fetched.
const TEST: &str = "package calc;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WarmTest {
    @Test
    void one() {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void many(int number) {}
}
";

/// Maven's classes, as a Java that runs it has read them: the next one need not.
const CLASSES: &str = "classes.jsa";

/// The versions, and the Maven and the Java that laid out the repository.
pub fn identity() -> Result<String, Failure> {
    let said = capture(Command::new("mvn").args(["--batch-mode", "--version"]))?;
    let versions = ["Apache Maven", "Java version"];
    let lines = said.lines().filter(|line| versions.iter().any(|start| line.contains(start)));
    let lines: Vec<&str> = lines.collect();
    let modules = MODULES.map(|(_, file)| file).concat();
    Ok(format!("{}\n{CLASSES}\n{PROJECT}{modules}{TEST}", lines.join("\n")))
}

/// Runs the tests of two small projects once, and of one of them again for its classes.
pub fn install(folder: &Path) -> Result<(), Failure> {
    let repository = folder.join("repository");
    let alone = folder.join("project");
    write(&alone, PROJECT, "WarmTest")?;
    maven(&alone, &repository, "test", "")?;
    let classes = format!("-XX:ArchiveClassesAtExit={}", folder.join(CLASSES).display());
    maven(&alone, &repository, "test", &classes)?;
    let modules = folder.join("modules");
    for (module, file) in MODULES {
        let name = if module == "app" { "WarmIT" } else { "WarmTest" };
        write(&modules.join(module), file, name)?;
    }
    maven(&modules, &repository, "verify", "")
}

/// A project with one class of tests.
fn write(project: &Path, file: &str, class: &str) -> Result<(), Failure> {
    let tests = project.join("src/test/java/calc");
    fs::create_dir_all(&tests)
        .and_then(|()| fs::write(project.join("pom.xml"), file))
        .and_then(|()| {
            fs::write(tests.join(format!("{class}.java")), TEST.replace("WarmTest", class))
        })
        .map_err(|error| format!("{} cannot be filled: {error}", project.display()))
}

fn maven(project: &Path, repository: &Path, phase: &str, java: &str) -> Result<(), Failure> {
    let mut maven = Command::new("mvn");
    maven
        .env("MAVEN_OPTS", java)
        .args(["--batch-mode", "--no-transfer-progress", phase])
        .arg(format!("-Dmaven.repo.local={}", repository.display()))
        .current_dir(project);
    capture(&mut maven).map(drop).map_err(|failure| {
        format!("{failure}what Maven needs cannot be fetched; is a repository in reach?")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plugin_has_an_exact_version_and_no_repository_is_named() {
        for project in [PROJECT, MODULES[0].1] {
            let plugins = project.matches("<plugin>").count();
            let versions = project.matches("<version>").count();
            // The project itself and its one dependency have one, too.
            assert_eq!(versions, plugins + 2, "{project}");
            assert!(!project.contains("<repositor"), "{project}");
        }
    }
}
