//! What a mutant of a changed Python module costs, all told: from the start of a command to its end, by the number of
//! mutants that it tried, against mutmut.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::measure::{compare, time};
use super::table::{Quantity, Row};
use super::{Setting, path_with_pytest};
use crate::Failure;
use crate::project::{bench_folder, capture, tools_folder};

const PEERS: [&str; 2] = ["mutmut==3.8.1", "pytest==9.2.0"];
/// As long as the peer takes for each, with both starts.
const TARGET_RATIO: f64 = 1.0;
const FUNCTIONS: usize = 12;
const FUNCTION: &str = "
def shipping_N(weight, express):
    cost = 5 + weight * 2
    if express:
        cost = cost * 2
    if cost > 100:
        return 100
    return cost

";
const TEST: &str = "
def test_shipping_N():
    assert prices.shipping_N(1, False) == 7
    assert prices.shipping_N(1, True) == 14
    assert prices.shipping_N(90, True) == 100

";

/// A module that is all new.
pub fn module(setting: &Setting) -> Result<Row, Failure> {
    let (root, peer) = (project()?, mutmut()?);
    let path = path_with_pytest()?;
    let ours = || {
        let mut command = Command::new(&setting.redgreen);
        command.args(["mutants", "--base", "HEAD", "--max", "500", "--json"]);
        command.env("PATH", &path).current_dir(&root);
        command
    };
    let theirs = |args: &[&str]| {
        let mut command = Command::new(&peer);
        command.args(args).current_dir(&root);
        command
    };
    let medians = compare(
        setting.runs,
        || time(&mut ours()),
        || {
            let known = root.join("mutants");
            if known.exists() {
                fs::remove_dir_all(&known).map_err(|error| format!("{known:?}: {error}"))?;
            }
            time(&mut theirs(&["run"]))
        },
    )?;
    let our_number = number_after(&capture(&mut ours())?, "\"tried\":")?;
    let their_number = capture(&mut theirs(&["results", "--all", "true"]))?;
    let their_number = their_number.lines().filter(|line| line.contains("__mutmut_")).count();
    let each = |all: Duration, number: usize| {
        all.checked_div(u32::try_from(number).unwrap_or_default()).ok_or("no mutant was tried")
    };
    Ok(Row {
        ours: Quantity::Time(each(medians.ours, our_number)?),
        against: "mutmut, each",
        theirs: Quantity::Time(each(medians.theirs, their_number)?),
        target_ratio: TARGET_RATIO,
    })
}

fn number_after(said: &str, name: &str) -> Result<usize, Failure> {
    let behind = said.split(name).nth(1).map(|it| it.split(|it: char| !it.is_ascii_digit()));
    let number = behind.and_then(|mut parts| parts.next()?.parse().ok());
    number.ok_or_else(|| format!("nothing behind {name} in:\n{said}"))
}

/// A repository whose work tree has a new module and its tests.
fn project() -> Result<PathBuf, Failure> {
    let root = bench_folder().join("mutants");
    if root.exists() {
        fs::remove_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
    }
    let (mut code, mut tests) = (String::new(), "from shop import prices\n\n".to_owned());
    for number in 0..FUNCTIONS {
        let _ = write!(code, "{}", FUNCTION.replace('N', &number.to_string()));
        let _ = write!(tests, "{}", TEST.replace('N', &number.to_string()));
    }
    write(&root, "shop/__init__.py", "")?;
    write(&root, "tests/__init__.py", "")?;
    write(&root, "tests/test_nothing.py", "def test_nothing():\n    assert True\n")?;
    write(&root, ".gitignore", "mutants/\n__pycache__/\n.pytest_cache/\n.redgreen/\n")?;
    let check = "[[checks]]\nname = \"unit\"\ncommand = \"python -m pytest -q tests\"\n";
    write(&root, "redgreen.toml", check)?;
    write(&root, "setup.cfg", "[mutmut]\nsource_paths=shop/\n")?;
    let git = |args: &[&str]| capture(Command::new("git").args(args).current_dir(&root)).map(drop);
    git(&["init", "--quiet"])?;
    git(&["add", "."])?;
    git(&["-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "-m", "start"])?;
    write(&root, "shop/prices.py", &code)?;
    write(&root, "tests/test_prices.py", &tests)?;
    Ok(root)
}

fn write(root: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let file = root.join(name);
    let made = file.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(&file, text))
        .map_err(|error| format!("{} cannot be written: {error}", file.display()))
}

/// The peer, in an environment of its own: no test needs it.
fn mutmut() -> Result<PathBuf, Failure> {
    let environment = tools_folder().join("mutmut");
    let program = environment.join("bin/mutmut");
    if !program.exists() {
        capture(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
        let mut pip = Command::new(environment.join("bin/python"));
        capture(pip.args(["-m", "pip", "install", "--no-input", "--quiet"]).args(PEERS))?;
    }
    Ok(program)
}
