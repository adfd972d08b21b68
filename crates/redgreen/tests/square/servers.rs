//! Servers that were there before the job: a small one, made like those of Gradle and Maven. It builds and tests
//! what it finds at the project's path, wherever its client stands.

use std::process::{Child, Stdio};

use serde_json::Value;

use crate::common::Project;
use crate::square::model::Edits as _;
use crate::square::pytest;

/// Answers each request of a client with a run of the tests, until it is dropped.
struct Server(Child);

impl Server {
    fn start(project: &Project, name: &str) -> Self {
        let script = "while read word < ../ask; do sh ./build.sh; echo $? > ../answer; done";
        let mut server = project.command("sh");
        server.args(["-c", script, name]).stdout(Stdio::null());
        Self(server.spawn().expect("a server"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The client does its work itself where `alone` says so.
fn project(alone: &str) -> Project {
    let project = Project::empty();
    pytest::project(&project);
    pytest::fix(&project);
    project.write(
        "redgreen.toml",
        "[[checks]]\nname = \"unit\"\ncommand = \"sh ./gradlew test\"\nframework = \"junit\"\n",
    );
    project.write(
        "build.sh",
        "exec python -m pytest -q --junitxml=build/test-results/test/TEST-calc.xml\n",
    );
    project.write(
        "gradlew",
        format!(
            "case \"$GRADLE_OPTS\" in\n{alone}) exec sh ./build.sh ;;\nesac\necho go > ../ask\nread code < ../answer\nexit \"$code\"\n"
        ),
    );
    project.append(".gitignore", "build/\n");
    let pipes = project.command("mkfifo").args(["../ask", "../answer"]).status().expect("pipes");
    assert!(pipes.success());
    project.commit();
    pytest::break_add(&project);
    project.replace(pytest::TESTS, "== 4", "== 5");
    project
}

fn square(project: &Project) -> Value {
    let ended = project.redgreen(&["square", "--base", "HEAD", "--json"]);
    serde_json::from_str(ended.stdout.lines().last().unwrap_or_default()).expect(&ended.stderr)
}

#[test]
fn a_server_that_was_there_before_does_not_do_the_work_of_a_corner() {
    let project = project("*-Dorg.gradle.daemon=false*");
    let _server = Server::start(&project, "org.gradle.launcher.daemon.bootstrap.GradleDaemon");
    let said = square(&project);
    let accused = &said["square"]["expectations"][0]["test"]["test"];
    assert_eq!(accused, "tests.test_calc.test_add", "{said:#}");
}

#[test]
fn a_server_that_a_tool_cannot_go_without_is_named_where_a_corner_saw_nothing() {
    let project = project("never");
    let _server = Server::start(&project, "org.mvndaemon.mvnd.common.MavenDaemon");
    let said = square(&project);
    let record = said["record"].as_str().expect("a record");
    let record = std::fs::read_to_string(project.root().join(record)).expect("the record");
    assert!(record.contains("a Maven daemon (process "), "{record}");
}
