//! Ruby with RSpec and rake. Where the machine has them, those are used; else Debian's packages are
//! unpacked into a folder of our own, by an ordinary user. Their versions are the distribution's: Ruby is in
//! no registry that has programs ready to run.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use super::debian;
use crate::Failure;
use crate::project::capture;

/// What is asked of a Ruby that is there.
const QUESTION: &str = "require 'rspec/core'; require 'rspec/core/rake_task'; \
                        print RUBY_VERSION, ' ', RSpec::Core::Version::STRING";
/// What is fetched; what it needs comes along.
const PACKAGES: &[&str] = &["ruby", "ruby-rspec", "rake"];
/// The programs that the tests call.
const PROGRAMS: &[&str] = &["rspec", "rake", "bundle"];
/// What the machine lacks, in words.
const IF_MISSING: &str = "Ruby with RSpec is needed; on Debian and Ubuntu it is fetched with apt-get, \
                          elsewhere install Ruby 2.7 or newer, then: gem install rspec rake";

/// The Ruby that is installed, if it has what is needed.
fn installed() -> Option<String> {
    let version = capture(Command::new("ruby").args(["-e", QUESTION])).ok()?;
    let has = |program: &&str| capture(Command::new(program).arg("--version")).is_ok();
    PROGRAMS.iter().all(has).then_some(version)
}

pub fn identity() -> Result<String, Failure> {
    Ok(installed().map_or_else(|| PACKAGES.join(" "), |version| format!("installed: {version}")))
}

/// Leaves the folder empty where the machine has it all.
pub fn install(folder: &Path) -> Result<(), Failure> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).map_err(|error| format!("{}: {error}", bin.display()))?;
    if installed().is_some() {
        return Ok(());
    }
    debian::unpack(PACKAGES, folder).map_err(|failure| format!("{failure}{IF_MISSING}"))?;
    link(folder, &bin)
        .map_err(|error| format!("{} cannot be set up: {error}", folder.display()))?;
    let works = capture(Command::new(bin.join("ruby")).args(["-e", QUESTION]));
    works.map(drop).map_err(|failure| format!("{failure}the unpacked Ruby does not run"))
}

/// Debian's Ruby looks for its library and its files below `/usr`: a program of its name says where they are.
fn link(folder: &Path, bin: &Path) -> io::Result<()> {
    let usr = folder.join("usr");
    let programs = usr.join("bin");
    let ruby = programs.join(fs::read_link(programs.join("ruby"))?);
    let real = programs.join("ruby.real");
    fs::rename(&ruby, &real)?;
    let library = entry(&usr.join("lib"), |name| name.ends_with("-linux-gnu"))?;
    let files = entry(&usr.join("lib/ruby"), |name| name.ends_with(".0"))?;
    let version = files.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (usr, library, files) = (usr.display(), library.display(), files.display());
    let script = format!(
        "export LD_LIBRARY_PATH=\"{library}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}\"\n\
         export RUBYLIB=\"${{RUBYLIB:+$RUBYLIB:}}{usr}/lib/ruby/vendor_ruby:{files}:{library}/ruby/{version}\"\n\
         export GEM_PATH=\"{usr}/share/rubygems-integration/all:{usr}/lib/ruby/gems/{version}\"\n\
         exec \"{}\" \"$@\"\n",
        real.display()
    );
    program(&ruby, &script)?;
    symlink(&ruby, bin.join("ruby"))?;
    for name in PROGRAMS {
        // Debian's `bundle` may have the version behind its name.
        let is_it =
            |found: &str| found.trim_end_matches(|it: char| it.is_numeric() || it == '.') == *name;
        let script = entry(&programs, is_it)?;
        program(
            &bin.join(name),
            &format!("exec \"{}\" \"{}\" \"$@\"\n", ruby.display(), script.display()),
        )?;
    }
    Ok(())
}

/// The first in a folder whose name is as wanted.
fn entry(folder: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<PathBuf> {
    let mut names: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|it| it.path()).collect();
    names.sort();
    let is_wanted =
        |path: &PathBuf| path.file_name().is_some_and(|it| wanted(&it.to_string_lossy()));
    let missing =
        || io::Error::new(io::ErrorKind::NotFound, format!("not in {}", folder.display()));
    names.into_iter().find(is_wanted).ok_or_else(missing)
}

/// A program for `sh`.
fn program(path: &Path, script: &str) -> io::Result<()> {
    fs::write(path, format!("#!/bin/sh\n{script}"))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}
