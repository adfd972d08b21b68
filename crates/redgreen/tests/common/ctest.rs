//! Projects of CMake: GoogleTest was compiled once, and each project links it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::Project;

/// Builds and runs; what the tests print is shown.
pub const COMMAND: &str =
    "cmake -S . -B build > build.log && cmake --build build && ctest --test-dir build -V";

/// Every file of tests is a program of its own, which runs in the root.
pub const LISTS: &str = "cmake_minimum_required(VERSION 3.14)
project(calc CXX)
include_directories(.)

enable_testing()
find_package(GTest REQUIRED)
file(GLOB sources tests/*_test.cpp)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endforeach()
include(more.cmake OPTIONAL)
";

/// What was installed; a missing one is a failure.
fn tools() -> PathBuf {
    let target =
        Path::new(env!("CARGO_BIN_EXE_redgreen")).ancestors().nth(2).expect("a target folder");
    let folder = target.join("tools/googletest");
    assert!(folder.exists(), "there is no {}: run `cargo xtask test`", folder.display());
    folder
}

impl Project {
    /// Gives the project its `CMakeLists.txt`, and a CMake that knows where GoogleTest is.
    pub fn prepare_ctest(&self) {
        let tools = tools();
        for name in ["cmake", "ctest"] {
            let program = self.programs().join(name);
            let script = format!(
                "#!/bin/sh\nCMAKE_PREFIX_PATH='{0}' exec '{0}/bin/{name}' \"$@\"\n",
                tools.display()
            );
            fs::write(&program, script).expect("a program");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        }
        self.write("CMakeLists.txt", LISTS);
        self.write(".gitignore", "build/\nbuild.log\n");
    }

    /// A small project: `calc.h` with `add`, which is right, and `subtract`, which is wrong, and a test
    /// for each.
    pub fn write_ctest(&self) {
        self.prepare_ctest();
        self.write(
            "calc.h",
            "#pragma once\n\ninline int add(int a, int b) { return a + b; }\n\ninline int subtract(int a, int b) { return a + b; }\n",
        );
        self.write(
            "tests/calc_test.cpp",
            "#include <gtest/gtest.h>\n\n#include \"calc.h\"\n\nTEST(Calc, Adds) {\n  EXPECT_EQ(4, add(2, 2));\n}\n\nTEST(Calc, Subtracts) {\n  EXPECT_EQ(2, subtract(5, 3));\n}\n",
        );
    }
}
