//! A runner that redgreen does not know, in shell, which writes the report stream itself.

use crate::common::Project;
use crate::escapes_frameworks::suite::Suite;

pub const SUITE: Suite = Suite {
    framework: "other",
    command: "sh run.sh",
    project,
    subtract: "subtract",
    fix: "sed -i '2s/+/-/' calc.sh",
    says_passed: "12 passed, 0 failed",
    fakes: "echo 'echo 12 passed, 0 failed' > run.sh",
    daemon: ("tests/daemon.sh", "setsid sleep 1000 &\necho $! > ../agent/pid\n"),
    floods: (
        "tests/floods.sh",
        "grep -q 'a - b\\|1 - $2' calc.sh || return 0\nyes flood | head -c 150000000\nyes flood | head -c 150000000 >&2\n: > ../agent/here\n: < ../agent/go-on\n",
    ),
    bytes: (
        "tests/bytes.sh",
        "i=0; while [ $i -le 255 ]; do printf \"\\\\$(printf %03o $i)\"; i=$((i + 1)); done\nprintf '\\377\\376\\200\\303(' >&2\n",
    ),
    evil: (
        "tests/evil.sh",
        "name=\"evil\\\\u001b[2J\\\\u001b]0;owned\\\\u0007\\\\u009b31m\\\\u202e\"\nmessage=\"\\\\u001b[2J\\\\r12 passed\"\nprintf '\\033[2J\\033]0;owned\\007\\r12 passed\\n'\n[ \"$(subtract 5 3)\" = 2 ]\n",
    ),
};

/// Every file in `tests` is a test, sourced by the runner itself; it may set its name and message.
const RUNNER: &str = r#"tell() { printf '{"event":"%s","run":"sh"%s}\n' "$1" "$2" >> "$REDGREEN_STREAM"; }
tell hello ',"runner":"sh"'
if ! sh -n calc.sh; then
    tell error ',"kind":"compile_error","type":"SyntaxError","message":"calc.sh cannot be read","file":"calc.sh","line":2'
    tell bye ',"exit":2'
    exit 2
fi
. ./calc.sh
red=0
check() { . "./$1"; }
for file in tests/*.sh; do
    name=${file#tests/}
    name=${name%.sh}
    [ -z "$REDGREEN_ONLY" ] || grep -q "^$name" "$REDGREEN_ONLY" || continue
    message="$name is not as it should be"
    tell start ",\"test\":\"$name\""
    plain=$name
    if check "$file"; then outcome=passed; else outcome=failed; red=1; fi
    failure=",\"failure\":{\"type\":\"AssertionError\",\"message\":\"$message\",\"frames\":[{\"file\":\"calc.sh\",\"line\":2}]}"
    [ $outcome = failed ] || failure=
    [ "$name" = "$plain" ] || { tell end ",\"test\":\"$plain\",\"outcome\":\"passed\""; tell start ",\"test\":\"$name\""; }
    tell end ",\"test\":\"$name\",\"outcome\":\"$outcome\"$failure"
done
tell bye ",\"exit\":$red"
exit $red
"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("calc.sh", "add() { echo $(($1 + $2)); }\nsubtract() { echo $(($1 + $2)); }\n");
    project.write("run.sh", RUNNER);
    project.write("tests/add.sh", "[ \"$(add 2 2)\" = 4 ]\n");
    project.write(
        "tests/subtract.sh",
        "subtract 5 3 > ../agent/result\n[ \"$(cat ../agent/result)\" = 2 ]\n",
    );
    project.write(
        "redgreen.toml",
        "[[checks]]\nname = \"unit\"\ncommand = \"sh run.sh\"\nframework = \"other\"\n",
    );
    project.commit();
    project
}
