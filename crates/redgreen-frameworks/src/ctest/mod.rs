//! CTest, and what GoogleTest says below it, through a `ctest` of ours on `PATH`.
//!
//! ```text
//! ctest ─▶ shim `ctest` ─▶ the real ctest, in a folder of redgreen's whose test file leads to the build folder
//!             │               └─▶ each test: redgreen __ctest-test … PROGRAM ARGUMENTS
//!             └─▶ what ctest says of each test (`--output-junit`)
//! ```
//!
//! The test files that CMake wrote are read by ctest itself; in front of them stands an `add_test` of ours,
//! which puts redgreen before the program and changes nothing else. A program of GoogleTest reports each of
//! its tests as it begins and ends (`GTEST_STREAM_RESULT_TO`, a socket of redgreen's), so that it is known
//! which one a crash, a time limit or an `exit(0)` ended. Those are the tests then, and the
//! one of ctest is none, unless it is red and none of them is. Of any other program the test of ctest is the
//! test, by what ctest says of it. What is skipped is known from the report that GoogleTest writes at its end.
//!
//! Ids: `program::Suite.Name` for a test of GoogleTest (`::Some/Suite.Name/0` where it has parameters,
//! without `DISABLED_`), the name of the test otherwise. The program is the name of its file: targets have
//! names of their own in CMake.
//!
//! # Limits
//!
//! - `make test` and `cmake --build … --target test` call ctest by its full path, so that it is not seen.
//! - `ctest -S`, `-T`, `-D` and `--rerun-failed` are left alone. CMake before 3.21 writes no results.
//! - A test with `WILL_FAIL` whose program is of GoogleTest is red: its tests are.
//! - GoogleTest streams on Linux and BSD alone; elsewhere its programs count as any other.

pub mod call;
pub mod gtest;
pub mod listing;
pub mod results;

mod address;
mod lists;
mod project;
mod sides;

use redgreen_model::framework::FrameworkId;
use redgreen_model::report::{FailureKind, Report};
use redgreen_model::tree::FileRole;

use crate::adapter::{
    Adapter, BuildStamps, Injection, InjectionRequest, ProjectFiles, RunMaterial, SuggestedCheck,
    Variables,
};
use crate::command::runs;
use crate::console::Dialect;
use crate::explain::explain;
use crate::roles::name_of;
use crate::servers::{Server, Without};
use crate::sides::{Address, Addresses, Rule, SideRequest};
use crate::surroundings::Surroundings;
use call::CtestCall;

/// The hidden sub-command that stands in for `ctest`: `RUN_FOLDER CTEST_ARGUMENTS…`.
pub const CTEST_SHIM: &str = "__ctest-shim";
/// The hidden sub-command that runs one test: `RUN_FOLDER RUN FOLDER NAME PROGRAM ARGUMENTS…`.
pub const TEST_SHIM: &str = "__ctest-test";
/// The hidden sub-command that becomes a program which does not outlive who started it: `PARENT PROGRAM ARGUMENTS…`.
pub const MORTAL_SHIM: &str = "__mortal";

/// Its name.
pub const ID: FrameworkId = FrameworkId::named("ctest");

/// The adapter for CTest and GoogleTest.
pub struct Ctest;

/// What a build of CMake leaves beside its outputs, which it brings up to date itself.
const SURROUNDINGS: Surroundings = Surroundings {
    caches: &["Testing", "CMakeFiles", "compile_commands.json", "*.gcda", "*.gcno"],
    outputs: &[],
    marks: &["CMakeCache.txt"],
    home: &[".config/ccache/ccache.conf", ".ccache/ccache.conf"],
    above: &["CMakeUserPresets.json"],
};

impl Adapter for Ctest {
    fn id(&self) -> FrameworkId {
        ID
    }

    fn recognises_command(&self, command: &str) -> bool {
        runs(command, |program, rest| program == "ctest" && CtestCall::parse(rest).is_some())
    }

    fn recognises_project(&self, project: &dyn ProjectFiles) -> Option<SuggestedCheck> {
        project::suggested(project)
    }

    fn inject(&self, request: &InjectionRequest<'_>) -> Injection {
        request.stand_in("ctest", CTEST_SHIM)
    }

    fn read(&self, material: &RunMaterial<'_>) -> Report {
        let mut report = material.stream_report();
        explain(&mut report, material, FailureKind::Unknown);
        if !report.began {
            report.diagnostics.push(
                "redgreen saw no `ctest`: the one that it put first on PATH was not called; `make test` \
                 calls it by its full path, `ctest --test-dir build` does not"
                    .to_owned(),
            );
        }
        report
    }

    fn role(&self, path: &str) -> Option<FileRole> {
        let name = name_of(path);
        (sides::has_name_of_test(name) || sides::STEERING.contains(&name))
            .then_some(FileRole::Tests)
    }

    fn sides(&self, request: &SideRequest<'_>) -> Vec<Rule> {
        sides::rules(request)
    }

    fn address(&self, id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
        address::address(id, folder, known)
    }

    /// Make and Ninja compare sources with object files.
    fn build_stamps(&self) -> Option<&'static BuildStamps> {
        const FILES: &[&str] = &["**/*.{o,obj,gch,pch}"];
        Some(&BuildStamps { beside: "CMakeLists.txt", folder: "build", files: FILES })
    }

    fn variables(&self) -> Variables {
        Variables {
            steering: &[
                "CC", "CFLAGS", "CPPFLAGS", "CTEST_*", "CXX", "CXXFLAGS", "GTEST_*", "LDFLAGS",
            ],
            read: &["ASAN_OPTIONS", "CMAKE_*", "MAKEFLAGS", "TSAN_OPTIONS", "UBSAN_OPTIONS"],
        }
    }

    fn dialects(&self) -> &'static [Dialect] {
        &[crate::console::ctest::DIALECT]
    }

    fn surroundings(&self) -> Surroundings {
        SURROUNDINGS
    }

    fn settings(&self) -> &'static [&'static str] {
        sides::STEERING
    }

    fn servers(&self) -> Vec<Server> {
        vec![SCCACHE]
    }
}

/// Compiles what it finds at a path, and writes the result there itself.
const SCCACHE: Server = Server {
    name: "an sccache server",
    mark: "sccache",
    without: Without::Prefix(
        "sccache",
        &["CMAKE_C_COMPILER_LAUNCHER", "CMAKE_CXX_COMPILER_LAUNCHER"],
    ),
};
