//! JUnit XML, whoever wrote it, and the tools that write it: Maven (Surefire and Failsafe) and Gradle.
//!
//! Nothing is put around the command but a few properties. Both tools write a report for each test class when it is
//! done; those that this very run wrote are what is read ([`crate::RunMaterial`]). What they print
//! explains: errors of the compiler, the classes that were running when a test ended the process or
//! the time was over. A run that wrote no report has shown nothing, whatever its console says.
//!
//! Single tests are run again through `MAVEN_OPTS`, which Maven takes as properties (`-Dtest=…`).
//!
//! Limits: Gradle does not run tests again that are up to date, so that no report is new; results
//! from its build cache are new files of an old run, and make a run incomplete. Where a class is
//! in flight, the test itself is not known: Surefire writes nothing before the class is done.

mod address;
mod case;
mod command;
mod console;
mod only;
mod reader;
mod shorten;
mod sides;
mod stem;
mod trace;
mod write;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Language;

pub use self::shorten::Shortener;
pub use self::write::write;

use self::reader::Reader;
use self::trace::Sources;
use crate::adapter::{
    Adapter, BuildStamps, Injection, InjectionRequest, ProjectFiles, RunMaterial, Runtime,
    STREAM_VARIABLE, SuggestedCheck, Variables, VersionSource,
};
use crate::console::Dialect;
use crate::explain::explain;
use crate::place::Places;
use crate::roles::split;
use crate::servers::{Server, Without};
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;

/// Where Surefire, Failsafe and Gradle put their reports.
pub const REPORT_GLOBS: &[&str] = &[
    "**/target/surefire-reports/TEST-*.xml",
    "**/target/failsafe-reports/TEST-*.xml",
    "**/build/test-results/**/TEST-*.xml",
];
/// What stands behind the folder of a module in the path of its reports.
const REPORT_FOLDERS: &[&str] =
    &["target/surefire-reports", "target/failsafe-reports", "build/test-results"];

/// Reads a JUnit XML document, or several in one file. Never fails: what is cut or malformed is
/// read as far as it goes, and said. Totals are counted from the cases.
pub fn read_xml(bytes: &[u8], places: Places<'_>) -> Report {
    let mut reader = Reader::new(places, Sources::new(places.root, Vec::new(), None));
    reader.read(bytes, "the report", "");
    reader.finish()
}

/// Reads the JUnit files of a run into one report.
pub(crate) fn read_files(files: &[&crate::ReportFile], material: &RunMaterial<'_>) -> Report {
    let places = material.places();
    let module = |path: &str| module_of(path, places);
    let mut modules: Vec<String> = files.iter().map(|file| module(&file.path).0).collect();
    modules.push(places.relative(".").unwrap_or_default());
    modules.push(String::new());
    let mut known = std::collections::BTreeSet::new();
    modules.retain(|module| known.insert(module.clone()));
    let sources = Sources::new(places.root, modules, Some(material.work_tree.has_file));
    let mut reader = Reader::new(places, sources);
    for file in files {
        reader.read(&file.bytes, &file.path, &module(&file.path).1);
    }
    reader.finish()
}

/// The folder of the module that wrote a report, from the root and from the folder of the check;
/// empty where the path does not tell.
fn module_of(path: &str, places: Places<'_>) -> (String, String) {
    let framed = format!("/{path}");
    let end = REPORT_FOLDERS.iter().filter_map(|folder| framed.find(&format!("/{folder}/"))).min();
    let Some(module) = end.and_then(|end| framed.get(..end)) else { return Default::default() };
    let module = module.trim_start_matches('/');
    let folder = places.relative(".").unwrap_or_default();
    let inside = module.strip_prefix(folder.as_str()).unwrap_or(module).trim_start_matches('/');
    (module.to_owned(), inside.to_owned())
}

/// How most of a JUnit report is written.
pub(crate) enum Shape {}

impl redgreen_xml::Shape for Shape {
    const TAG: (&'static str, &'static str) = ("<testcase", "testcase");
    const USUAL: [(&'static str, &'static str); 2] = [(" name=\"", "name"), (" time=\"", "time")];
    const REPEATED: (&'static str, &'static str) = (" classname=\"", "classname");
}

/// Reads a report's XML.
pub(crate) type Scanner<'text> = redgreen_xml::Scanner<'text, Shape>;

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("junit");

/// The adapter for Maven and Gradle.
pub struct Junit;

/// What Maven and Gradle make again, and what they read at home.
const SURROUNDINGS: Surroundings = Surroundings {
    caches: &[".gradle", ".kotlin", "surefire-reports", "failsafe-reports"],
    outputs: &[("build.gradle", "build"), ("build.gradle.kts", "build"), ("pom.xml", "target")],
    marks: &[],
    home: &[
        ".m2/settings.xml",
        ".m2/settings-security.xml",
        ".mavenrc",
        ".gradle/gradle.properties",
        ".gradle/init.gradle",
        ".gradle/init.gradle.kts",
        ".gradle/init.d",
    ],
    above: &[".mvn"],
};

impl Adapter for Junit {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn surroundings(&self) -> Surroundings {
        SURROUNDINGS
    }

    fn recognises_command(&self, command: &str) -> bool {
        command::runs_tests(command)
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        command::suggested(project)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        let stream = request.stream().to_string_lossy().into_owned();
        let mut injection = Injection::default();
        injection.env.push((STREAM_VARIABLE.to_owned(), stream));
        let mut add = |variable: &str, words: &str| {
            let inherited = (request.inherited)(variable).unwrap_or_default();
            let words = format!("{inherited} {words}").trim().to_owned();
            injection.env.push((variable.to_owned(), words));
        };
        let only = request.only.and_then(only::maven_properties);
        let to_the_end = (request.corner && !request.by_exit_code).then(|| TO_THE_END.to_owned());
        let properties: Vec<String> = only.into_iter().chain(to_the_end).collect();
        if !properties.is_empty() {
            add("MAVEN_OPTS", &properties.join(" "));
        }
        if request.corner {
            add("MAVEN_ARGS", "--fail-at-end");
            add("GRADLE_OPTS", "-Dorg.gradle.continue=true");
        }
        injection
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        console::explain_build(&mut report, material);
        let kind = if console::tools_failed(material.console) {
            FailureKind::ToolingError
        } else {
            FailureKind::Unknown
        };
        explain(&mut report, material, kind);
        if !report.began {
            report.diagnostics.push(console::why_no_report(material));
        }
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let (folders, name) = split(path);
        let in_tests = folders.windows(2).any(|pair| {
            let [source, set] = pair else { return false };
            *source == "src" && is_test_set(set)
        });
        let stem = ["java", "kt", "groovy", "scala"]
            .iter()
            .find_map(|end| name.strip_suffix(end).and_then(|stem| stem.strip_suffix('.')));
        let by_name = stem.is_some_and(|stem| {
            ["Test", "Tests", "TestCase", "IT", "Spec"].iter().any(|end| stem.ends_with(end))
        });
        let configuration =
            matches!(name, "junit-platform.properties" | "testng.xml" | "logback-test.xml");
        (in_tests || by_name || configuration).then_some(FileRole::Tests)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    fn runtime(&self) -> Option<&'static Runtime> {
        Some(&RUNTIME)
    }

    fn language(&self) -> Language {
        Language::Java
    }

    fn variables(&self) -> Variables {
        Variables {
            steering: &[
                "CLASSPATH",
                "GRADLE_OPTS",
                "JAVA_OPTS",
                "JAVA_TOOL_OPTIONS",
                "JDK_JAVA_OPTIONS",
                "MAVEN_ARGS",
                "MAVEN_OPTS",
                "_JAVA_OPTIONS",
            ],
            read: &["GRADLE_*", "JAVA*", "KOTLIN_*", "M2_*", "MAVEN_*"],
        }
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[crate::console::maven::DIALECT, crate::console::gradle::DIALECT]
    }

    /// Maven looks at time stamps, and leaves what it copied or compiled for another project file.
    fn build_folders(&self) -> &'static [(&'static str, &'static str)] {
        &[("pom.xml", "target")]
    }

    fn servers(&self) -> Vec<Server> {
        SERVERS.to_vec()
    }

    fn build_stamps(&self) -> Option<&'static BuildStamps> {
        const FILES: &[&str] = &["classes/**", "test-classes/**"];
        Some(&BuildStamps { beside: "pom.xml", folder: "target", files: FILES })
    }

    fn report_globs(&self) -> &'static [&'static str] {
        REPORT_GLOBS
    }
}

/// `release` in its root has `JAVA_VERSION="17.0.2"`.
const RUNTIME: Runtime = Runtime {
    name: "java",
    programs: &["java"],
    version: &[VersionSource::BesideRealProgram("release", |text| {
        let line = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
        Some(line.trim().trim_matches('"'))
    })],
};

/// A red test of a module does not keep those modules from being tested that need it: Maven would skip
/// them, and take their tests along. What is red is read from the reports; Maven ends with 0.
const TO_THE_END: &str = "-Dmaven.test.failure.ignore=true";

/// A property in `GRADLE_OPTS` goes before every `gradle.properties`; a variable with dots in its name
/// (`ORG_GRADLE_PROJECT_…`) does not come through the shell of `gradlew`. Kotlin has had it as a property of
/// the system and of the project.
const SERVERS: &[Server] = &[
    Server {
        name: "a Gradle daemon",
        mark: "org.gradle.launcher.daemon.bootstrap.GradleDaemon",
        without: Without::Words("GRADLE_OPTS", "-Dorg.gradle.daemon=false"),
    },
    Server {
        name: "a Kotlin compiler daemon",
        mark: "org.jetbrains.kotlin.daemon.KotlinCompileDaemon",
        without: Without::Words(
            "GRADLE_OPTS",
            "-Dkotlin.compiler.execution.strategy=in-process \
             -Dorg.gradle.project.kotlin.compiler.execution.strategy=in-process",
        ),
    },
    // Its native client cannot do without, and takes no variable for where its daemons are.
    Server {
        name: "a Maven daemon",
        mark: "org.mvndaemon.mvnd.common.MavenDaemon",
        without: Without::NoWay,
    },
];

/// Source sets of tests: `test`, `it`, `testFixtures`, `integrationTest`, `androidTest`.
fn is_test_set(name: &str) -> bool {
    name == "it" || name.starts_with("test") || name.ends_with("Test") || name.ends_with("-test")
}

#[cfg(test)]
mod tests;
