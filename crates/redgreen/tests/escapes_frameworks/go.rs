//! go test.

use crate::common::Project;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "go_test",
    command: "go test ./...",
    project,
    subtract: "example.org/calc.TestSubtract",
    fix: "sed -i '5s/a + b/a - b/' calc.go",
    says_passed: "ok  \texample.org/calc\t0.003s",
    fakes: "printf 'package calc\\n\\nimport (\\n\"fmt\"\\n\"os\"\\n\"testing\"\\n)\\n\\nfunc TestMain(m *testing.M) {\\nfmt.Println(\"=== RUN   TestSubtract\\\\n--- PASS: TestSubtract (0.00s)\\\\nPASS\")\\nos.Exit(0)\\n}\\n' > main_test.go",
    daemon: (
        "daemon_test.go",
        "package calc\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc TestDaemon(t *testing.T) {\n\tdaemon := exec.Command(\"setsid\", \"sleep\", \"1000\")\n\tif err := daemon.Start(); err != nil {\n\t\tt.Fatal(err)\n\t}\n\tpid := fmt.Sprint(daemon.Process.Pid)\n\tif err := os.WriteFile(\"../agent/pid\", []byte(pid), 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
    ),
    floods: (
        "floods_test.go",
        "package calc\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc TestFloods(t *testing.T) {\n\tif Subtract(5, 3) != 2 {\n\t\treturn\n\t}\n\tline := []byte(strings.Repeat(\"flood \", 500) + \"\\n\")\n\tfor written := 0; written < 150_000_000; written += len(line) {\n\t\tos.Stdout.Write(line)\n\t\tos.Stderr.Write(line)\n\t}\n\there, _ := os.OpenFile(\"../agent/here\", os.O_WRONLY, 0)\n\there.Close()\n\tgoOn, _ := os.Open(\"../agent/go-on\")\n\tgoOn.Close()\n}\n",
    ),
    bytes: (
        "bytes_test.go",
        "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestBytes(t *testing.T) {\n\tfor number := 0; number < 256; number++ {\n\t\tos.Stdout.Write([]byte{byte(number)})\n\t}\n\tos.Stderr.WriteString(\"\\xff\\xfe\\x80\\xc3(\")\n}\n",
    ),
    // go writes control characters of a name as escapes; one of those looks like JSON's.
    evil: (
        "evil_test.go",
        "package calc\n\nimport \"testing\"\n\nconst evil = \"\\x1b[2J\\x1b]0;owned\\x07\\u009b31m\\u202e\"\n\nfunc TestEvil(t *testing.T) {\n\tt.Run(\"evil\\x1b[2J\\x1b]0;owned\\x07\", func(t *testing.T) {\n\t\tif Subtract(5, 3) != 2 {\n\t\t\tt.Error(evil + \"\\r12 passed\")\n\t\t}\n\t})\n}\n",
    ),
};

fn project() -> Project {
    let project = Project::empty();
    project.write("go.mod", "module example.org/calc\n\ngo 1.21\n");
    project.write(
        "calc.go",
        "package calc\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Subtract(a, b int) int { return a + b }\n",
    );
    project.write(
        "calc_test.go",
        "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(2, 2); got != 4 {\n\t\tt.Errorf(\"Add(2, 2) = %d, want 4\", got)\n\t}\n}\n\nfunc TestSubtract(t *testing.T) {\n\tif got := Subtract(5, 3); got != 2 {\n\t\tt.Errorf(\"Subtract(5, 3) = %d, want 2\", got)\n\t}\n}\n",
    );
    project.write(
        "redgreen.toml",
        "[[checks]]\nname = \"unit\"\ncommand = \"go test ./...\"\nframework = \"go_test\"\n",
    );
    project.commit();
    project
}
