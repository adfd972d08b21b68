//! One folder for each test framework: recognise it, make it report, read the result.
//!
//! Every framework reports through one channel, the [report stream](stream), a file of redgreen's
//! own. What a program prints on the console explains failures and never makes a pass.
//!
//! | framework | what is put around the command | folder |
//! |---|---|---|
//! | pytest | a plugin of ours (`PYTHONPATH`, and stand-ins on `PATH`) | [`pytest`] |
//! | cargo test | a `cargo` on `PATH` that runs test binaries and doctests through redgreen | [`cargo`] |
//! | unittest | a listener of ours at its runner (`PYTHONPATH`) | [`unittest`] |
//! | jest, vitest, mocha, `node --test` | a module that every Node program loads (`NODE_OPTIONS`) | [`jest`], [`vitest`], [`mocha`], [`node_test`] |
//! | CTest with GoogleTest | a `ctest` on `PATH` that starts each test through redgreen | [`ctest`] |
//! | go test | a `go` on `PATH` that adds `-json` and reads it | [`go`] |
//! | RSpec | a listener that every Ruby program loads (`RUBYOPT`) | [`rspec`] |
//! | Maven, Gradle | nothing; the report files that the run wrote are read | [`junit`] |
//! | other | nothing; a runner may write the stream itself | [`other`] |
//!
//! Adding a framework is a folder with an [`Adapter`] and a line in [`ADAPTERS`].
//!
//! **Invariant:** this crate reads no file, starts no process, and knows no clock. Readers return
//! what they understood with diagnostics; they never fail.

mod candidates;
pub mod cargo;
pub mod collect;
pub mod console;
pub mod ctest;
pub mod ctrf;
pub mod go;
pub mod jest;
pub mod junit;
pub mod mocha;
pub mod node_test;
pub mod other;
pub mod parse;
pub mod pytest;
pub mod rspec;
pub mod sides;
pub mod stream;
pub mod tap;
pub mod unittest;
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
pub mod python;
mod reach;
pub mod reached;
mod report_files;
mod roles;
mod salvage;
mod servers;
mod silenced;
mod stack;
mod standard_report;
mod surroundings;
mod unique;
mod unseen;
mod varying_ids;
mod version;
mod wordings;

use redgreen_model::framework::FrameworkId;
use redgreen_model::tree::FileRole;
use redgreen_syntax::{language_of, outline};

pub use adapter::{
    ASKED_FILE, Adapter, BuildStamps, CORNER_VARIABLE, COVERAGE_FOLDER, COVERAGE_VARIABLE,
    FOLDER_VARIABLE, InjectedFile, Injection, InjectionRequest, ONLY_FILE, ONLY_VARIABLE,
    ProjectFiles, ReportFile, RunMaterial, Runtime, SHIM_FOLDER, STREAM_FILE, STREAM_VARIABLE,
    SuggestedCheck, Variables, VersionSource, WorkTree,
};
pub use candidates::{Candidate, candidates};
pub use finish::{Project, finish};
pub use identity::clean_id;
pub use idle::{Idle, tracked_code};
pub use place::Places;
pub use python::mutants::{
    FATES_ENDING, MUTANTS_VARIABLE, ManyMutants, OneMutant, fates, tries_many,
};
pub use reach::{Effect, Effects, is_unread_source, sources_reached};
pub use report_files::{ReportFormat, report_format};
pub use roles::is_by_product;
pub use servers::{Server, Without};
pub use sides::{Address, Addresses, Side, SideCheck, Sides, address};
pub use silenced::silenced;
pub use standard_report::WholeRun;
pub use surroundings::{
    Surroundings, is_cache, output_marks, outputs, settings_above, settings_at_home,
};
pub use varying_ids::{VARIES, is_varying};
pub use version::is_version_bump;

/// The frameworks that have a folder.
pub const ADAPTERS: &[&dyn Adapter] = &[
    &pytest::Pytest,
    &cargo::CargoTest,
    &go::GoTest,
    &jest::JEST,
    &vitest::VITEST,
    &mocha::MOCHA,
    &junit::Junit,
    &node_test::NODE_TEST,
    &rspec::Rspec,
    &unittest::Unittest,
    &ctest::Ctest,
];

/// The frameworks that a configuration may name.
pub fn frameworks() -> Vec<FrameworkId> {
    ADAPTERS.iter().map(|adapter| adapter.id()).chain([FrameworkId::OTHER]).collect()
}

/// The adapter of a framework; one without a folder is served as `other`.
pub fn adapter(framework: FrameworkId) -> &'static dyn Adapter {
    ADAPTERS.iter().copied().find(|adapter| adapter.id() == framework).unwrap_or(&other::Other)
}

/// What to put around the command of a check so that its framework reports, and in a corner so that
/// nothing outside of it does the work.
pub fn inject(framework: FrameworkId, request: &InjectionRequest<'_>) -> Injection {
    let adapter = adapter(framework);
    let mut injection = adapter.inject(request);
    if request.corner {
        injection.env.push((CORNER_VARIABLE.to_owned(), "1".to_owned()));
        servers::go_without(&adapter.servers(), request, &mut injection);
    }
    injection
}

/// The framework that a command runs. One that runs several is `other`, which serves them all, unless
/// they are of one family.
pub fn detect(command: &str) -> Option<FrameworkId> {
    let mut found = ADAPTERS.iter().filter(|adapter| adapter.recognises_command(command));
    let first = found.next()?;
    let family = first.family();
    let together = found.all(|other| family.is_some() && other.family() == family);
    Some(if together { first.id() } else { FrameworkId::OTHER })
}

/// The checks that a project wants, by its files and its CI.
pub fn suggest(project: &dyn ProjectFiles) -> Vec<SuggestedCheck> {
    let taken = candidates(project).into_iter().filter(|candidate| candidate.taken);
    taken.map(|candidate| candidate.check).collect()
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

/// A file of the project with a test in it, as its source says: one that is named like one of tests, or of a language
/// that has them beside the code.
pub fn file_with_test(project: &dyn ProjectFiles) -> Option<String> {
    let has_test = |path: &&String| {
        let is_place = file_role(path) == FileRole::Tests || path.ends_with(".rs");
        let language = language_of(path).filter(|_| is_place);
        let source = || project.read(path);
        language.is_some_and(|language| {
            source().is_some_and(|source| !outline(language, &source).tests.is_empty())
        })
    };
    project.paths().iter().find(has_test).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised_by_what_they_run() {
        let cases = [
            ("pytest", Some(pytest::ID)),
            ("python -m pytest -q", Some(pytest::ID)),
            ("python3.12 -X dev -m pytest", Some(pytest::ID)),
            ("uv run pytest -x", Some(pytest::ID)),
            ("uv run python -m pytest", Some(pytest::ID)),
            ("poetry run pytest", Some(pytest::ID)),
            (".venv/bin/pytest tests", Some(pytest::ID)),
            ("coverage run -m pytest && coverage report", Some(pytest::ID)),
            ("coverage run --source src -m pytest", Some(pytest::ID)),
            ("PYTHONPATH=. FOO='a b' pytest", Some(pytest::ID)),
            ("cd api && pytest", Some(pytest::ID)),
            ("cargo test --workspace", Some(cargo::ID)),
            ("cargo +nightly t", Some(cargo::ID)),
            ("cargo --locked --color always test", Some(cargo::ID)),
            ("cd x && RUST_BACKTRACE=1 cargo test -- --nocapture", Some(cargo::ID)),
            ("go test ./...", Some(go::ID)),
            ("cd x && CGO_ENABLED=0 go -C y test -v", Some(go::ID)),
            ("gotestsum --format dots -- -race ./...", Some(go::ID)),
            ("go build ./... && echo go test", None),
            ("go run test", None),
            ("go vet ./...", None),
            ("echo pytest", None),
            ("echo 'cargo test'", None),
            ("pip install pytest", None),
            ("python -m unittest", Some(unittest::ID)),
            ("python script.py -m pytest", None),
            ("python -m unittest && pytest", Some(FrameworkId::OTHER)),
            ("coverage run -m unittest discover", Some(unittest::ID)),
            ("cd web && python3 manage.py test shop", Some(unittest::ID)),
            ("./manage.py test", Some(unittest::ID)),
            ("python manage.py migrate", None),
            ("node --test", Some(node_test::ID)),
            ("cargo build", None),
            ("cargo run test", None),
            ("make test", None),
            ("mvn test", Some(junit::ID)),
            ("./mvnw -B -ntp verify", Some(junit::ID)),
            ("mvn -pl core surefire:test@unit", Some(junit::ID)),
            ("./gradlew :app:testDebugUnitTest", Some(junit::ID)),
            ("gradle cleanTest test --info", Some(junit::ID)),
            ("cmake --build build && ctest --test-dir build -j4", Some(ctest::ID)),
            ("ctest -N", None),
            ("ctest -S nightly.cmake", None),
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
            ("src/price_test.cc", Tests),
            ("src/PriceTest.cpp", Tests),
            ("src/latest.cpp", Code),
            ("CTestCustom.cmake", Tests),
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
    fn every_framework_has_a_name_and_a_folder_of_its_own() {
        let names = frameworks();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len());
        for name in names {
            assert_eq!(adapter(name).id(), name);
        }
        assert_eq!(adapter(FrameworkId::named("of_another_time")).id(), FrameworkId::OTHER);
    }
}
