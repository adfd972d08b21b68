//! Projects of Maven: what they need was fetched once, and Maven runs without the network.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::Project;

/// The project file of all fixtures, with exact versions.
const POM: &str = include_str!("../../../../xtask/tools/maven/pom.xml");

/// The local repository and what else was installed; a missing one is a failure.
fn installed() -> PathBuf {
    let target =
        Path::new(env!("CARGO_BIN_EXE_redgreen")).ancestors().nth(2).expect("a target folder");
    let folder = target.join("tools/maven");
    assert!(folder.exists(), "there is no {}: run `cargo xtask test`", folder.display());
    folder
}

/// How Java starts quickly: it runs for two seconds.
const BRIEF: &str = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

impl Project {
    /// Gives the project its `pom.xml`, and a `mvn` that takes everything from the local repository
    /// and does not spend its time on reading, compiling and verifying itself, nor do the tests.
    pub fn prepare_maven(&self) {
        let inherited = std::env::var("PATH").unwrap_or_default();
        let mvn = std::env::split_paths(&inherited)
            .map(|folder| folder.join("mvn"))
            .find(|path| path.exists())
            .expect("mvn is needed, on Debian and Ubuntu: apt install maven");
        let (mvn, installed) = (mvn.display(), installed());
        let installed = installed.display();
        let script = format!(
            "#!/bin/sh\nMAVEN_OPTS=\"$MAVEN_OPTS {BRIEF} -XX:SharedArchiveFile={installed}/classes.jsa \
             -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote\"\nexport MAVEN_OPTS\n\
             exec '{mvn}' --offline '-Dmaven.repo.local={installed}/repository' '-DargLine={BRIEF}' \"$@\"\n"
        );
        let program = self.programs().join("mvn");
        fs::write(&program, script).expect("a program");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
        self.write("pom.xml", POM);
        self.write(".gitignore", "target/\n");
    }

    /// A small project of Maven: `Calc.java` with `add`, which is right, and `subtract`, which is
    /// wrong, and a test for each.
    pub fn maven() -> Self {
        let project = Self::empty();
        project.prepare_maven();
        project.write(
            "src/main/java/calc/Calc.java",
            "package calc;\n\npublic class Calc {\n    public static int add(int a, int b) {\n        return a + b;\n    }\n\n    public static int subtract(int a, int b) {\n        return a + b;\n    }\n}\n",
        );
        project.write(
            "src/test/java/calc/CalcTest.java",
            "package calc;\n\nimport static org.junit.jupiter.api.Assertions.assertEquals;\n\nimport org.junit.jupiter.api.Test;\n\nclass CalcTest {\n    @Test\n    void adds() {\n        assertEquals(4, Calc.add(2, 2));\n    }\n\n    @Test\n    void subtracts() {\n        assertEquals(2, Calc.subtract(5, 3));\n    }\n}\n",
        );
        project.write(
            "redgreen.toml",
            "[[checks]]\nname = \"unit\"\ncommand = \"mvn -B test\"\nframework = \"junit\"\n",
        );
        project.commit();
        project
    }
}
