//! What go builds of its own library for any test, so that no test waits for it: one with a time
//! limit would end there.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::Failure;
use crate::project::capture;

/// A test that uses what the fixtures use.
const TEST: &str = "package warm

import (
\t\"errors\"
\t\"fmt\"
\t\"os\"
\t\"os/exec\"
\t\"strings\"
\t\"syscall\"
\t\"testing\"
\t\"time\"
)

func TestWarm(t *testing.T) {
\tt.Log(errors.New(\"\"), fmt.Sprint(os.Args), exec.Command(\"\"), strings.ToUpper(\"\"), syscall.SIGTERM, time.Now())
}
";

pub fn identity() -> Result<String, Failure> {
    Ok(format!("{}{TEST}", capture(Command::new("go").arg("version"))?))
}

/// Runs one test; the folder is go's cache.
pub fn install(folder: &Path) -> Result<(), Failure> {
    let project = folder.join("redgreen-warm");
    fs::create_dir_all(&project)
        .and_then(|()| fs::write(project.join("go.mod"), "module example.org/warm\n\ngo 1.21\n"))
        .and_then(|()| fs::write(project.join("warm_test.go"), TEST))
        .map_err(|error| format!("{} cannot be filled: {error}", project.display()))?;
    let mut go = Command::new("go");
    go.args(["test", "./..."]).env("GOCACHE", folder).env("GOTOOLCHAIN", "local");
    capture(go.env("GOFLAGS", "").current_dir(&project)).map(drop)
}
