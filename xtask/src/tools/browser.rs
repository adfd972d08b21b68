//! Chromium and its driver, for the pages. Where the machine has them, those are used; else Debian's packages are
//! unpacked into a folder of our own, by an ordinary user.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::debian;
use crate::Failure;
use crate::project::capture;

/// What is fetched; what it needs comes along.
const PACKAGES: &[&str] = &["chromium", "chromium-driver", "fonts-dejavu-core"];
/// The programs that the tests call, and where they lie in the packages.
const PROGRAMS: &[(&str, &str)] =
    &[("chromium", "usr/lib/chromium/chromium"), ("chromedriver", "usr/bin/chromedriver")];
/// What the machine lacks, in words.
const IF_MISSING: &str = "Chromium and chromedriver are needed; on Debian they are fetched with apt-get, elsewhere \
                          install them, so that `chromium` and `chromedriver` are found";

/// The browser that is installed, if its driver is, too.
fn installed() -> Option<String> {
    let version =
        |(program, _): &(&str, &str)| capture(Command::new(program).arg("--version")).ok();
    PROGRAMS.iter().map(version).collect()
}

pub fn identity() -> Result<String, Failure> {
    Ok(installed().map_or_else(|| PACKAGES.join(" "), |version| format!("installed: {version}")))
}

/// Leaves links to the programs, or to those that were unpacked.
pub fn install(folder: &Path) -> Result<(), Failure> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).map_err(|error| format!("{}: {error}", bin.display()))?;
    let cannot = |error| format!("{} cannot be set up: {error}", folder.display());
    if installed().is_some() {
        return PROGRAMS.iter().try_for_each(|(name, _)| {
            let found = capture(Command::new("which").arg(name))?;
            symlink(found.trim(), bin.join(name)).map_err(cannot)
        });
    }
    debian::unpack(PACKAGES, folder).map_err(|failure| format!("{failure}{IF_MISSING}"))?;
    let fonts = folder.join("fonts.conf");
    fs::write(&fonts, fonts_of(folder)).map_err(cannot)?;
    for (name, place) in PROGRAMS {
        let script = script(folder, &folder.join(place), &fonts);
        let path = bin.join(name);
        fs::write(&path, script)
            .and_then(|()| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)))
            .map_err(cannot)?;
        let works = capture(Command::new(&path).arg("--version"));
        works.map_err(|failure| format!("{failure}the unpacked {name} does not run"))?;
    }
    Ok(())
}

/// Debian's programs look for their libraries below `/usr`: a script says where they are.
fn script(folder: &Path, program: &Path, fonts: &Path) -> String {
    let below = |place: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder.join(place)).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        paths.filter(|path| path.to_string_lossy().ends_with("-linux-gnu")).collect()
    };
    let mut libraries = [below("usr/lib"), below("lib")].concat();
    libraries.extend(below("usr/lib").iter().map(|path| path.join("pulseaudio")));
    let libraries: Vec<String> = libraries.iter().map(|it| it.display().to_string()).collect();
    format!(
        "#!/bin/sh\nexport LD_LIBRARY_PATH='{}'\nexport FONTCONFIG_FILE='{}'\nexec '{}' \"$@\"\n",
        libraries.join(":"),
        fonts.display(),
        program.display()
    )
}

fn fonts_of(folder: &Path) -> String {
    let unpacked = folder.join("usr/share/fonts");
    let alias = |of: &str, font: &str| {
        format!(
            "<alias><family>{of}</family><prefer><family>DejaVu {font}</family></prefer></alias>"
        )
    };
    let aliases = [
        ("sans", "Sans"),
        ("sans-serif", "Sans"),
        ("system-ui", "Sans"),
        ("monospace", "Sans Mono"),
    ]
    .map(|(of, font)| alias(of, font))
    .concat();
    format!(
        "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">\n<fontconfig><dir>/usr/share/fonts</dir><dir>{}</dir><cachedir>{}</cachedir>{aliases}</fontconfig>\n",
        unpacked.display(),
        folder.join("font-cache").display()
    )
}
