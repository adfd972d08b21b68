//! Row 17: output without bounds, and output that is more than text.

use crate::common::Project;
use crate::common::escape::{
    FLOOD_BYTES, LOG_BYTES, assert_bounded, assert_no_control, peak_kilobytes,
};
use crate::escapes_pytest::suite::{FIX, SUBTRACT};

/// The test writes past pytest's capture, then waits until somebody has looked at redgreen.
const FLOODS: &str = "import os, sys\n\n\ndef test_floods():\n    if 'a - b' not in open('calc.py').read():\n        return\n    chunk = b'x' * 99 + b'\\n'\n    for stream in (1, 2):\n        for _ in range(1500):\n            os.write(stream, chunk * 1000)\n    open('../agent/here', 'w').close()\n    open('../agent/go-on').close()\n";

pub fn floods() -> String {
    let project = Project::pytest();
    let more = format!("[limits]\nlog_bytes = {LOG_BYTES}");
    project.configure("python -m pytest -q --capture=no", "pytest", &more);
    project.write("tests/test_floods.py", FLOODS);
    project.commit();
    let half = FLOOD_BYTES / 2;
    let script = format!("{FIX}\nyes flood | head -c {half}\nyes flood | head -c {half} >&2");
    let mut peak = 0;
    let done = project.meet(&script, |_| peak = peak_kilobytes(&project));
    done.assert_ended(0, "passed", "");
    assert_bounded(&project, &done, peak);
    format!("{}, {peak} kB", done.seen())
}

pub fn prints_bytes_that_are_not_text() -> String {
    let project = Project::pytest();
    project.configure("python -m pytest -q --capture=no", "pytest", "");
    project.write(
        "tests/test_bytes.py",
        "import os\n\n\ndef test_bytes():\n    os.write(1, bytes(range(256)) * 40)\n    os.write(2, b'\\xff\\xfe\\x80\\xc3(')\n",
    );
    project.commit();
    let script = format!(
        "[ $REDGREEN_ATTEMPT = 1 ] && echo '# hm' >> calc.py || {FIX}\nprintf '\\377\\376\\033[31m\\n'"
    );
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    assert_eq!(project.only_failure(2)["test"], SUBTRACT);
    project.assert_clean(&done.ended);
    done.seen()
}

/// The worst that a name and a message can do.
const CONTROL: &str = "import pytest\n\nEVIL = '\\x1b[2J\\x1b]0;owned\\x07\\x9b31m\\u202e'\n\n\n@pytest.mark.parametrize('value', [1], ids=[EVIL])\ndef test_evil(value):\n    print(EVIL)\n    assert 'a - b' in open('calc.py').read(), EVIL + '\\r12 passed'\n";

pub fn has_terminal_control_in_a_name() -> String {
    let project = Project::pytest();
    project.write("tests/test_evil.py", CONTROL);
    project.write(
        "pytest.ini",
        "[pytest]\ndisable_test_id_escaping_and_forfeit_all_rights_to_community_support = true\n",
    );
    project.commit();
    let script = format!("[ $REDGREEN_ATTEMPT = 1 ] && echo '# hm' >> calc.py || {FIX}");
    let done = project.held(&script, &[]);
    done.assert_ended(0, "passed", "");
    assert_eq!(done.last("finished")["attempts"], 2, "{}", done.text());
    let fixed = done.class("fixed");
    assert!(fixed.len() == 2 && fixed[1].contains("test_evil"), "{}", done.text());
    let feedback = project.feedback(2).to_string();
    assert!(feedback.contains("test_evil") && feedback.contains("12 passed"), "{feedback}");
    project.assert_clean(&done.ended);
    assert_shown_clean(&project);
    done.seen()
}

/// The same for people, at a red tree.
#[track_caller]
fn assert_shown_clean(project: &Project) {
    project.git(&["checkout", "-q", "calc.py"]);
    for args in [&["test"][..], &["test", "--json"], &["report"], &["report", "--format", "html"]] {
        let shown = project.redgreen(args);
        let text = format!("{}{}", shown.stdout, shown.stderr);
        assert_no_control(&format!("{args:?}"), text.as_bytes());
        assert!(text.contains("test_evil"), "{args:?}: {text}");
    }
}
