//! Servers that a tool leaves running, and that do its work the next time.
//!
//! A corner is another tree at the project's own path, for one job alone. A server that was there
//! before sees the work tree at that path: it builds and tests the wrong tree, and writes into it. So
//! in a corner tools go without their servers; where there is no way to, one that runs is named.

use crate::adapter::{InjectedFile, Injection, InjectionRequest};

/// A kind of server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// What it is called, with its article.
    pub name: &'static str,
    /// The name of its program, or the end of one of its arguments.
    pub mark: &'static str,
    /// How its tool goes without it.
    pub without: Without,
}

/// How a tool goes without its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Without {
    /// A variable with a value.
    Variable(&'static str, &'static str),
    /// Words behind those that a variable has.
    Words(&'static str, &'static str),
    /// A program in front of others, which are run by themselves; the variables may name it by its path.
    Prefix(&'static str, &'static [&'static str]),
    /// What the framework's folder injects sees to it.
    Injected,
    /// There is no way that holds for every version and leaves the server of the user alone.
    NoWay,
}

/// The folder of these stand-ins, in the folder of a run. Not with those that make a framework report:
/// a program that was reached through one of those does not see the others any more.
const FOLDER: &str = "without";
/// A stand-in that runs what it is put in front of; whoever talks to the server has said enough.
const PASS_ON: &str = "#!/bin/sh\ncase \"$1\" in\n-*|'') exit 0 ;;\nesac\nexec \"$@\"\n";

impl Server {
    /// Whether a command line is that of one.
    pub fn is_run_by(&self, command_line: &str) -> bool {
        let is_mark = |word: &str| {
            let before = word.strip_suffix(self.mark);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        };
        // Bazel puts the project behind its name.
        command_line.split_whitespace().any(|word| is_mark(word.split('(').next().unwrap_or(word)))
    }
}

/// Adds what makes the tools of a check go without these servers.
pub(crate) fn go_without(
    servers: &[Server],
    request: &InjectionRequest<'_>,
    injection: &mut Injection,
) {
    for server in servers {
        match server.without {
            Without::Variable(name, value) => set(injection, name, value.to_owned()),
            Without::Words(name, words) => {
                let known = value(injection, request, name).unwrap_or_default();
                set(injection, name, format!("{known} {words}").trim().to_owned());
            }
            Without::Prefix(program, variables) => {
                for name in variables {
                    let named = value(injection, request, name).unwrap_or_default();
                    if named.rsplit('/').next() == Some(program) {
                        set(injection, name, String::new());
                    }
                }
                stand_in(injection, request, program);
            }
            Without::Injected | Without::NoWay => {}
        }
    }
}

fn value(injection: &Injection, request: &InjectionRequest<'_>, name: &str) -> Option<String> {
    let ours = injection.env.iter().find(|(known, _)| known == name);
    ours.map(|(_, value)| value.clone()).or_else(|| (request.inherited)(name))
}

fn set(injection: &mut Injection, name: &str, value: String) {
    injection.env.retain(|(known, _)| known != name);
    injection.env.push((name.to_owned(), value));
}

fn stand_in(injection: &mut Injection, request: &InjectionRequest<'_>, program: &str) {
    let folder = request.run_folder.join(FOLDER).to_string_lossy().into_owned();
    let path = value(injection, request, "PATH").unwrap_or_default();
    if path.split(':').all(|known| known != folder) {
        set(injection, "PATH", format!("{folder}:{path}").trim_end_matches(':').to_owned());
    }
    injection.files.push(InjectedFile {
        path: [FOLDER, program].iter().collect(),
        content: PASS_ON.to_owned(),
        executable: true,
    });
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use redgreen_model::framework::FrameworkId;

    use super::*;

    fn injected(framework: FrameworkId, corner: bool, name: &str) -> Option<String> {
        let request = InjectionRequest {
            run_folder: Path::new("/run"),
            program: Path::new("/bin/redgreen"),
            measure: &[],
            only: None,
            corner,
            by_exit_code: false,
            inherited: &|name| match name {
                "GRADLE_OPTS" => Some("-Xmx1g".to_owned()),
                "RUSTC_WRAPPER" => Some("/opt/bin/sccache".to_owned()),
                "CARGO_BUILD_RUSTC_WRAPPER" => Some("/opt/bin/careful".to_owned()),
                "PATH" => Some("/usr/bin".to_owned()),
                _ => None,
            },
        };
        let injection = crate::inject(framework, &request);
        let paths = injection.env.iter().filter(|(name, _)| name == "PATH");
        assert!(paths.clone().count() < 2, "{injection:?}");
        let file = injection.files.iter().find(|file| file.path == Path::new(name));
        let variable = injection.env.iter().find(|(known, _)| known == name);
        variable.map(|(_, value)| value.clone()).or_else(|| file.map(|file| file.content.clone()))
    }

    #[test]
    fn in_a_corner_tools_go_without_their_servers_and_in_the_work_tree_with_them() {
        let cases = [
            (
                crate::junit::ID,
                "GRADLE_OPTS",
                "-Xmx1g -Dorg.gradle.continue=true -Dorg.gradle.daemon=false",
            ),
            (crate::junit::ID, "MAVEN_ARGS", "--fail-at-end"),
            (crate::junit::ID, "MAVEN_OPTS", "failure.ignore=true"),
            (crate::junit::ID, "GRADLE_OPTS", "strategy=in-process"),
            (crate::cargo::ID, "without/sccache", "exec \"$@\""),
            (crate::mocha::ID, "NX_DAEMON", "false"),
            (FrameworkId::OTHER, "GRADLE_OPTS", "-Dorg.gradle.daemon=false"),
            (FrameworkId::OTHER, "DISABLE_SPRING", "1"),
            (FrameworkId::OTHER, "without/sccache", "exec"),
            (crate::cargo::ID, "PATH", "/run/without:/run/bin:/usr/bin"),
        ];
        for (framework, name, wanted) in cases {
            let said = injected(framework, true, name).unwrap_or_default();
            assert!(said.contains(wanted), "{framework} {name}: {said}");
            let before = injected(framework, false, name);
            assert!(!before.unwrap_or_default().contains(wanted), "{framework} {name}");
        }
    }

    #[test]
    fn a_wrapper_of_the_compiler_goes_only_if_it_is_the_server_s() {
        let framework = crate::cargo::ID;
        assert_eq!(injected(framework, true, "RUSTC_WRAPPER").as_deref(), Some(""));
        assert_eq!(injected(framework, false, "RUSTC_WRAPPER"), None);
        assert_eq!(injected(framework, true, "CARGO_BUILD_RUSTC_WRAPPER"), None);
    }

    #[test]
    fn servers_are_known_by_their_command_lines() {
        let cases = [
            (
                "java -Xmx512m -cp /g/lib/gradle-launcher-8.5.jar org.gradle.launcher.daemon.bootstrap.GradleDaemon 8.5",
                "a Gradle daemon",
            ),
            (
                "java -cp k.jar org.jetbrains.kotlin.daemon.KotlinCompileDaemon --daemon-runFilesPath /x",
                "a Kotlin compiler daemon",
            ),
            ("/usr/bin/sccache", "an sccache server"),
            (
                "bazel(shop) --max_idle_secs=10800 --output_base=/x --workspace_directory=/w",
                "a Bazel server",
            ),
            ("/usr/bin/dockerd -H fd://", "Docker"),
            ("gradle --offline test", ""),
            ("vim sccache.rs", ""),
            ("node /w/node_modules/nx/src/daemon/server/start.js", "an Nx daemon"),
        ];
        let servers = crate::adapter(FrameworkId::OTHER).servers();
        for (line, wanted) in cases {
            let found = servers.iter().find(|server| server.is_run_by(line));
            assert_eq!(found.map_or("", |server| server.name), wanted, "{line}");
        }
    }
}
