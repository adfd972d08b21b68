//! CMake, and GoogleTest as a library with a header that is compiled already: each test project is one small file.
//!
//! CMake is the one that is installed, or else PyPI's. The sources of GoogleTest are Debian's package, installed or fetched.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::debian;
use crate::Failure;
use crate::project::capture;

const CMAKE: &str = "cmake==3.31.6";
/// Where Debian's package puts the sources.
const SOURCES: &str = "usr/src/googletest/googletest";

/// What `find_package(GTest)` reads, in front of what is installed.
const PACKAGE: &str = "get_filename_component(here ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
add_library(GTest::gtest STATIC IMPORTED)
set_target_properties(GTest::gtest PROPERTIES IMPORTED_LOCATION ${here}/lib/libgtest.a
  INTERFACE_INCLUDE_DIRECTORIES ${here}/include INTERFACE_LINK_LIBRARIES pthread)
add_library(GTest::gtest_main STATIC IMPORTED)
set_target_properties(GTest::gtest_main PROPERTIES IMPORTED_LOCATION ${here}/lib/libgtest_main.a
  INTERFACE_LINK_LIBRARIES GTest::gtest)
";

/// The compiler that the library is for, and the CMake that the links lead to.
pub fn identity() -> Result<String, Failure> {
    let compiler = capture(Command::new("c++").arg("--version"))?;
    let cmake = installed_cmake().unwrap_or_else(|| CMAKE.into());
    Ok(format!("{}\n{}\n{PACKAGE}", compiler.lines().next().unwrap_or_default(), cmake.display()))
}

/// The folder of an installed CMake that writes results (3.21 and newer).
fn installed_cmake() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folder = std::env::split_paths(&path)
        .find(|folder| folder.join("cmake").exists() && folder.join("ctest").exists())?;
    let said = capture(Command::new(folder.join("cmake")).arg("--version")).ok()?;
    let mut version = said.split_whitespace().nth(2)?.split('.').map(str::parse::<u32>);
    let version = (version.next()?.ok()?, version.next()?.ok()?);
    (version >= (3, 21)).then_some(folder)
}

/// `bin`, `include` and `lib`.
pub fn install(folder: &Path) -> Result<(), Failure> {
    let problem = |error: std::io::Error| format!("{} cannot be filled: {error}", folder.display());
    for part in ["bin", "lib/cmake/GTest", "package"] {
        fs::create_dir_all(folder.join(part)).map_err(problem)?;
    }
    let cmake = match installed_cmake() {
        Some(installed) => installed,
        None => fetched_cmake(&folder.join("python"))?,
    };
    for name in ["cmake", "ctest"] {
        symlink(cmake.join(name), folder.join("bin").join(name)).map_err(problem)?;
    }
    let sources = sources(&folder.join("package"))?;
    let include = folder.join("include");
    let mut copy = Command::new("cp");
    capture(copy.arg("-r").arg(sources.join("include")).arg(&include))?;
    for (name, source) in [("gtest", "gtest-all.cc"), ("gtest_main", "gtest_main.cc")] {
        let object = folder.join("lib").join(format!("{name}.o"));
        let source = sources.join("src").join(source);
        capture(
            compiler(&include).arg("-I").arg(&sources).arg("-c").arg(source).arg("-o").arg(&object),
        )?;
        let library = folder.join("lib").join(format!("lib{name}.a"));
        capture(Command::new("ar").arg("rcs").arg(library).arg(&object))?;
    }
    fs::write(folder.join("lib/cmake/GTest/GTestConfig.cmake"), PACKAGE).map_err(problem)?;
    let header = include.join("gtest/gtest.h");
    let compiled = include.join("gtest/gtest.h.gch");
    capture(compiler(&include).args(["-x", "c++-header"]).arg(header).arg("-o").arg(compiled))
        .map(drop)
}

fn compiler(include: &Path) -> Command {
    let mut compiler = Command::new("c++");
    compiler.arg("-isystem").arg(include);
    compiler
}

fn fetched_cmake(environment: &Path) -> Result<PathBuf, Failure> {
    capture(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
    let mut pip = Command::new(environment.join("bin/python"));
    pip.args(["-m", "pip", "install", "--no-input", "--disable-pip-version-check", CMAKE]);
    capture(&mut pip).map_err(|failure| {
        format!("{failure}CMake cannot be installed; is a package index in reach?")
    })?;
    Ok(environment.join("bin"))
}

fn sources(package: &Path) -> Result<PathBuf, Failure> {
    let installed = Path::new("/").join(SOURCES);
    if installed.exists() {
        return Ok(installed);
    }
    debian::unpack(&["googletest"], package).map_err(|failure| {
        format!("{failure}GoogleTest is needed, on Debian and Ubuntu: apt install googletest")
    })?;
    Ok(package.join(SOURCES))
}
