//! One folder for each test framework: recognise it, make it report, read the result.
//!
//! Every framework reports through one channel, the [report stream](stream), a file of redgreen's
//! own. What a program prints on the console explains failures and never makes a pass.
//!
//! | framework | what is put around the command | folder |
//! |---|---|---|
//! | pytest | a plugin of ours (`PYTHONPATH`) | [`pytest`] |
//! | cargo test | a `cargo` on `PATH` that runs test binaries and doctests through redgreen | [`cargo`] |
//! | jest, vitest, mocha | a module that every Node program loads (`NODE_OPTIONS`) | [`jest`], [`vitest`], [`mocha`] |
//! | go test | a `go` on `PATH` that adds `-json` and reads it | [`go`] |
//! | Maven, Gradle | nothing; the report files that the run wrote are read | [`junit`] |
//! | other | nothing; a runner may write the stream itself | [`other`] |
//!
//! Adding a framework is a folder with an [`Adapter`] and a line in [`ADAPTERS`].
//!
//! **Invariant:** this crate reads no file, starts no process, and knows no clock. Readers return
//! what they understood with diagnostics; they never fail.

pub mod cargo;
pub mod console;
pub mod ctrf;
pub mod go;
pub mod jest;
pub mod junit;
pub mod mocha;
pub mod other;
pub mod parse;
pub mod pytest;
pub mod sides;
pub mod stream;
pub mod tap;
pub mod vitest;

mod adapter;
mod classify;
mod command;
mod enclosing;
mod explain;
mod fingerprint;
mod finish;
mod identity;
mod idle;
mod node;
mod notes;
mod place;
mod python;
mod reach;
mod report_files;
mod roles;
mod salvage;
mod servers;
mod stack;
mod unique;
mod unittest;
mod varying;
mod wordings;
mod written;

use redgreen_model::tree::FileRole;
use redgreen_model::workflow::Framework;

pub use adapter::{
    Adapter, BuildStamps, CORNER_VARIABLE, FOLDER_VARIABLE, InjectedFile, Injection,
    InjectionRequest, ONLY_FILE, ONLY_VARIABLE, ProjectFiles, ReportFile, RunMaterial, SHIM_FOLDER,
    STREAM_FILE, STREAM_VARIABLE, SuggestedCheck, WorkTree,
};
pub use finish::{Project, finish};
pub use identity::clean_id;
pub use idle::{Idle, tracked_code};
pub use place::Places;
pub use reach::{Effect, Effects};
pub use report_files::{ReportFormat, report_format};
pub use roles::is_by_product;
pub use servers::{Server, Without};
pub use sides::{Address, Addresses, Side, SideCheck, Sides, address};
pub use varying::{VARIES, is_varying};
pub use written::WholeRun;

/// The frameworks that have a folder.
pub const ADAPTERS: &[&dyn Adapter] = &[
    &pytest::Pytest,
    &cargo::CargoTest,
    &go::GoTest,
    &jest::Jest,
    &vitest::Vitest,
    &mocha::Mocha,
    &junit::Junit,
];

/// The adapter of a framework; one without a folder yet is served as `other`.
pub fn adapter(framework: Framework) -> &'static dyn Adapter {
    ADAPTERS
        .iter()
        .copied()
        .find(|adapter| adapter.framework() == framework)
        .unwrap_or(&other::Other)
}

/// What to put around the command of a check so that its framework reports, and in a corner so that
/// nothing outside of it does the work.
pub fn inject(framework: Framework, request: &InjectionRequest<'_>) -> Injection {
    let adapter = adapter(framework);
    let mut injection = adapter.inject(request);
    if request.corner {
        injection.env.push((CORNER_VARIABLE.to_owned(), "1".to_owned()));
        servers::go_without(&adapter.servers(), request, &mut injection);
    }
    injection
}

/// The framework that a command runs. One that runs several is `other`, which serves them all;
/// but the JavaScript frameworks are served alike.
pub fn detect(command: &str) -> Option<Framework> {
    let recognised = ADAPTERS.iter().filter(|adapter| adapter.recognises_command(command));
    let mut found = recognised.map(|adapter| adapter.framework());
    let first = found.next()?;
    let together = |other| node::FRAMEWORKS.contains(&first) && node::FRAMEWORKS.contains(&other);
    Some(if found.all(together) { first } else { Framework::Other })
}

/// The checks that a project wants, by its files; a command that runs two frameworks is one check.
pub fn suggest(project: &dyn ProjectFiles) -> Vec<SuggestedCheck> {
    let mut checks: Vec<SuggestedCheck> = Vec::new();
    let recognised = ADAPTERS.iter().filter_map(|adapter| adapter.recognises_project(project));
    for check in recognised.chain(other::suggestions(project)) {
        let same = |known: &SuggestedCheck| {
            (&known.command, &known.folder) == (&check.command, &check.folder)
        };
        if !checks.iter().any(same) {
            checks.push(check);
        }
    }
    checks
}

/// The folders of build output in a project that say nothing about another tree, from its paths.
pub fn build_folders(paths: &[String]) -> Vec<String> {
    let pairs = ADAPTERS.iter().flat_map(|adapter| adapter.build_folders());
    let mut folders = Vec::new();
    for (beside, folder) in pairs {
        let roots = paths.iter().filter_map(|path| path.strip_suffix(beside));
        let roots = roots.filter(|root| root.is_empty() || root.ends_with('/'));
        folders.extend(roots.map(|root| format!("{root}{folder}")));
    }
    folders
}

/// What a file is to the verdict; the path is from the root of the work tree, with `/`. A run keeps
/// its evidence while only inert files change; whatever is not known to be inert is code.
pub fn file_role(path: &str) -> FileRole {
    if roles::by_product(path) {
        return FileRole::Inert;
    }
    ADAPTERS.iter().find_map(|adapter| adapter.role(path)).unwrap_or_else(|| roles::general(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised_by_what_they_run() {
        let cases = [
            ("pytest", Some(Framework::Pytest)),
            ("python -m pytest -q", Some(Framework::Pytest)),
            ("python3.12 -X dev -m pytest", Some(Framework::Pytest)),
            ("uv run pytest -x", Some(Framework::Pytest)),
            ("uv run python -m pytest", Some(Framework::Pytest)),
            ("poetry run pytest", Some(Framework::Pytest)),
            (".venv/bin/pytest tests", Some(Framework::Pytest)),
            ("coverage run -m pytest && coverage report", Some(Framework::Pytest)),
            ("coverage run --source src -m pytest", Some(Framework::Pytest)),
            ("PYTHONPATH=. FOO='a b' pytest", Some(Framework::Pytest)),
            ("cd api && pytest", Some(Framework::Pytest)),
            ("cargo test --workspace", Some(Framework::CargoTest)),
            ("cargo +nightly t", Some(Framework::CargoTest)),
            ("cargo --locked --color always test", Some(Framework::CargoTest)),
            ("cd x && RUST_BACKTRACE=1 cargo test -- --nocapture", Some(Framework::CargoTest)),
            ("go test ./...", Some(Framework::GoTest)),
            ("cd x && CGO_ENABLED=0 go -C y test -v", Some(Framework::GoTest)),
            ("gotestsum --format dots -- -race ./...", Some(Framework::GoTest)),
            ("go build ./... && echo go test", None),
            ("go run test", None),
            ("go vet ./...", None),
            ("echo pytest", None),
            ("echo 'cargo test'", None),
            ("pip install pytest", None),
            ("python -m unittest", None),
            ("python script.py -m pytest", None),
            ("cargo build", None),
            ("cargo run test", None),
            ("make test", None),
            ("mvn test", Some(Framework::Junit)),
            ("./mvnw -B -ntp verify", Some(Framework::Junit)),
            ("mvn -pl core surefire:test@unit", Some(Framework::Junit)),
            ("./gradlew :app:testDebugUnitTest", Some(Framework::Junit)),
            ("gradle cleanTest test --info", Some(Framework::Junit)),
            ("mvn compile", None),
            ("gradle assemble", None),
            ("", None),
        ];
        for (command, wanted) in cases {
            assert_eq!(detect(command), wanted, "{command}");
        }
    }

    #[test]
    fn files_have_the_role_that_keeps_evidence_honest() {
        use FileRole::{Code, Inert, Tests};
        let cases = [
            ("src/app.py", Code),
            ("src/lib.rs", Code),
            ("web/app.tsx", Code),
            ("Makefile", Code),
            ("Dockerfile", Code),
            ("Cargo.toml", Code),
            ("pyproject.toml", Code),
            ("package.json", Code),
            ("go.mod", Code),
            ("pom.xml", Code),
            ("build.gradle.kts", Code),
            ("src/main/java/shop/Price.java", Code),
            ("src/test/java/shop/PriceTest.java", Tests),
            ("core/src/test/resources/data.json", Tests),
            ("core/src/integrationTest/kotlin/A.kt", Tests),
            ("app/PriceTest.java", Tests),
            ("core/target/surefire-reports/x.txt", Inert),
            ("core/build/test-results/test/binary/output.bin", Inert),
            ("core/build/classes/java/main/shop/Price.class", Inert),
            ("build/release.py", Code),
            ("core/build/reports/tests/test/index.html", Inert),
            ("scripts/run.sh", Code),
            ("build.rs", Code),
            ("requirements.txt", Code),
            ("dev-requirements.txt", Code),
            ("CMakeLists.txt", Code),
            ("config/settings.yaml", Code),
            ("data/prices.csv", Code),
            ("schema.sql", Code),
            ("unknown.xyz", Code),
            ("no_extension", Code),
            (".github/workflows/ci.yml", Code),
            ("tests/test_a.py", Tests),
            ("src/pkg/test_a.py", Tests),
            ("src/pkg/a_test.py", Tests),
            ("conftest.py", Tests),
            ("pytest.ini", Tests),
            ("tests/data/expected.txt", Tests),
            ("tests/golden.png", Tests),
            ("tests/it.rs", Tests),
            ("crates/a/tests/it.rs", Tests),
            ("crates/a/benches/b.rs", Tests),
            ("src/tests.rs", Tests),
            ("src/app_tests.rs", Tests),
            ("pkg/calc_test.go", Tests),
            ("pkg/testdata/golden.txt", Tests),
            ("pkg/testdata/fuzz/FuzzX/0a1b", Tests),
            ("pkg/calc.go", Code),
            ("go.sum", Code),
            ("README.md", Inert),
            ("docs/notes.txt", Inert),
            ("docs/logo.PNG", Inert),
            ("app.log", Inert),
            ("tests/__pycache__/test_a.cpython-311.pyc", Inert),
            (".pytest_cache/v/cache/lastfailed", Inert),
            (".coverage", Inert),
            (".coverage.host.123", Inert),
            ("coverage.xml", Inert),
            ("TEST-com.example.xml", Inert),
            ("Cargo.lock", Inert),
            ("target/debug/app", Inert),
            ("node_modules/x/index.js", Inert),
            ("src/__snapshots__/a.snap", Inert),
            ("LICENSE", Inert),
        ];
        for (path, wanted) in cases {
            assert_eq!(file_role(path), wanted, "{path}");
        }
    }

    #[test]
    fn every_framework_has_an_adapter_and_those_with_a_folder_their_own() {
        for framework in Framework::ALL {
            let found = adapter(*framework).framework();
            assert!(found == *framework || found == Framework::Other, "{framework}");
        }
        assert_eq!(adapter(Framework::Pytest).framework(), Framework::Pytest);
        assert_eq!(adapter(Framework::CargoTest).framework(), Framework::CargoTest);
        assert_eq!(adapter(Framework::GoTest).framework(), Framework::GoTest);
    }
}
