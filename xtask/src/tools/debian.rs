//! Debian's packages, unpacked into a folder of ours by an ordinary user.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::project::capture;

/// Fetches the packages with all that is not installed and unpacks them. apt has lists of its own here: those
/// of the system may be old, or none, and are root's.
pub fn unpack(packages: &[&str], folder: &Path) -> Result<(), Failure> {
    let apt = folder.join("apt");
    for name in ["state", "lists/partial", "cache/archives/partial", "packages"] {
        let place = apt.join(name);
        fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    }
    let run = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        for (option, name) in
            [("Dir::State", "state"), ("Dir::State::lists", "lists"), ("Dir::Cache", "cache")]
        {
            command.arg("-o").arg(format!("{option}={}", apt.join(name).display()));
        }
        command.args(["-o", "Dir::State::status=/var/lib/dpkg/status"]);
        // What root fetches is fetched by root: the folder is nobody else's.
        command.args(["-o", "APT::Sandbox::User=root"]).args(arguments).env("LC_ALL", "C");
        capture(command.current_dir(apt.join("packages")))
    };
    run(&["-qq", "update"])?;
    let plan = run(&[&["install", "--simulate", "--no-install-recommends"], packages].concat())?;
    let names = plan.lines().filter_map(|line| line.strip_prefix("Inst ")?.split(' ').next());
    run(&[&["download"], names.collect::<Vec<_>>().as_slice()].concat())?;
    let fetched = fs::read_dir(apt.join("packages")).map_err(|error| error.to_string())?;
    for package in fetched.flatten() {
        capture(Command::new("dpkg").arg("-x").arg(package.path()).arg(folder))?;
    }
    fs::remove_dir_all(&apt).map_err(|error| format!("{}: {error}", apt.display()))
}
