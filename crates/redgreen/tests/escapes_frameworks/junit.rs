//! JUnit 5 under real Maven: what counts is the reports that Surefire wrote in this very run.

use crate::common::Project;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "junit",
    command: "mvn -B test",
    project: Project::maven,
    subtract: "calc.CalcTest.subtracts",
    fix: "sed -i '9s/a + b/a - b/' src/main/java/calc/Calc.java",
    says_passed: "Tests run: 12, Failures: 0, Errors: 0, Skipped: 0",
    fakes: "sed -i 's#<properties>#<properties><skipTests>true</skipTests>#' pom.xml",
    daemon: (
        "src/test/java/calc/DaemonTest.java",
        r#"package calc;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DaemonTest {
    @Test
    void starts() throws Exception {
        Process daemon = new ProcessBuilder("setsid", "sleep", "1000")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        Files.writeString(Path.of("../agent/pid"), "" + daemon.pid());
    }
}
"#,
    ),
    floods: (
        "src/test/java/calc/FloodTest.java",
        r#"package calc;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class FloodTest {
    @Test
    void floods() throws Exception {
        if (Calc.subtract(5, 3) != 2) {
            return;
        }
        String line = "flood ".repeat(1000);
        for (PrintStream stream : new PrintStream[] {System.out, System.err}) {
            for (int count = 0; count < 10_000; count++) {
                stream.println(line);
            }
        }
        new FileOutputStream("../agent/here").close();
        new FileInputStream("../agent/go-on").close();
    }
}
"#,
    ),
    bytes: (
        "src/test/java/calc/BytesTest.java",
        r#"package calc;

import org.junit.jupiter.api.Test;

class BytesTest {
    @Test
    void prints() throws Exception {
        for (int value = 0; value < 256; value++) {
            System.out.write(value);
        }
        System.err.write(new byte[] {(byte) 0xff, (byte) 0xfe, (byte) 0x80, (byte) 0xc3, 0x28});
    }
}
"#,
    ),
    evil: (
        "src/test/java/calc/EvilTest.java",
        r#"package calc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class EvilTest {
    @Test
    void evil() {
        String control = (char) 27 + "[2J" + (char) 27 + "]0;owned" + (char) 7 + "\r12 passed";
        System.out.println(control);
        assertEquals(2, Calc.subtract(5, 3), control);
    }
}
"#,
    ),
};
