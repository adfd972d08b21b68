//! Values that the project knows to be secret, short, in several lines and in every spelling; and forms that
//! only what stands around them gives away. All of them in one loop.

use super::*;

/// A test that prints all of it, is named after one, and fails for it.
const TEST: &str = r#"import os

import pytest
import spelled

IT = spelled.coded(spelled.VALUES["anywhere"][0].encode())


@pytest.mark.parametrize("it", [IT])
def test_all(it):
    spelled.say()
    print("configured", os.environ["OTHER_KEY"])
    raise AssertionError("\n".join(printed for printed, _ in spelled.everything()))


@pytest.mark.parametrize("printed", [printed for printed, _ in spelled.everything()][:4])
def test_one(printed):
    assert printed == "other"
"#;

/// The agent says it as well, and names it in its edit and in its analysis.
const AGENT: &str = r#"echo "my own: $2"
python - <<'END'
import json, os, pathlib, spelled
spelled.say()
said = " and ".join(printed for printed, _ in spelled.everything())
with open("calc.py", "a") as file:
    file.write(f"X = {json.dumps(said)}\n")
analysis = {"root_cause": "it is " + said[:1000], "fix_strategy": "say " + said[-1000:]}
pathlib.Path(os.environ["REDGREEN_ANALYSIS_FILE"]).write_text(json.dumps(analysis))
END"#;

/// A value with all that somebody has to quote, and one of several lines.
const NASTY: &str = "p\"a's$w`o\\r<d>&/é#1 x";
const LINES: &str = "first-l1ne-of-it\nsh0rt\nthird l1ne of it";
/// A private key, of which a line begins like a path.
const PRIVATE_KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n/8Zr2LmX+aVt5KdWf7HyQ2xq8Zr2LmX0\naVt5KdWf7Hy=\n-----END PRIVATE KEY-----";
/// Values that are in others: an object, a list, an address, an object in base64; and in files of folders.
const INNER: [&str; 8] = [
    "s3cr3t-value-1",
    "n3sted/value'2",
    "l1st-item-one",
    "l1st-item-tw0",
    "p@th-w0rd/1",
    "qu3ry-token-1",
    "c0ded-value-1",
    "b3low-value-1",
];
/// A key that nothing but the option in front of it gives away.
const OF_AGENT: &str = "n0-f0rm-of-a-key";
/// A value that only the name of the variable gives away that it is given in.
const OF_SETTINGS: &str = "0ther-value-1";

/// What is not secret, beside what is.
const KEPT: [&str; 9] = [
    "PORT=8080 DEBUG=true ENV=production DB_USER=postgres",
    "d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a",
    "id=123e4567-e89b-12d3-a456-426614174000",
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "tests/test_token.py::test_secret[password-1] /srv/app/Token2/key.py:12",
    "max_tokens=4096 pwd=/srv/App2",
    "Cookie: theme=dark",
    "password is required, the password is too short, the token is not set",
    "docker run -p 8080:80 x && mkdir -p build2/x && <label for=\"password\">Password</label>",
];

/// Text with a secret in it, and the secret.
const FORMS: [(&str, &str); 13] = [
    ("> Cookie: theme=dark; sid=ck7qa9wzx2mm", "ck7qa9wzx2mm"),
    ("< Set-Cookie: sid=sk7qa9wzx2mm; Path=/; HttpOnly", "sk7qa9wzx2mm"),
    ("Authorization: Basic bWU6aHVudGVyMTIz", "bWU6aHVudGVyMTIz"),
    ("('Proxy', 'Basic b3U6aHVudGVyNDU2')", "b3U6aHVudGVyNDU2"),
    ("Server=db;Uid=me;Pwd=zq9w!x;", "zq9w!x"),
    ("AccountName=x;AccountKey=q8Zr2LmX0aVt5KdWf7Hy/+1Q==;E=y", "q8Zr2LmX0aVt5KdWf7Hy"),
    ("Endpoint=sb://x/;SharedAccessKey=w8Zr2LmX0aVt5KdWf7Hy+1Q=", "w8Zr2LmX0aVt5KdWf7Hy"),
    (
        "SharedAccessSignature sr=x&sig=v8Zr2LmX0aVt5KdWf7HyQ2x%2Bq8Zr2LmX0aVt%3D&se=1",
        "v8Zr2LmX0aVt5KdWf7HyQ2x",
    ),
    ("<db><password>xm1-value</password></db>", "xm1-value"),
    ("login failed: the password is sa1d-value.", "sa1d-value"),
    ("+ mysql -h db -u root -pc0mmand-value shop", "c0mmand-value"),
    ("['docker', 'login', '-p', 'l1st-value']", "l1st-value"),
    ("model 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", "qZrLmXaVtKdWfHyQxqZrLmXaVtKdWfHyQx"),
];

fn project() -> Project {
    let project = pytest(TEST);
    let given = format!("[checks.environment]\nOTHER_KEY = \"{OF_SETTINGS}\"");
    project.configure("python -m pytest -q -s", "pytest", &given);
    let quoted = NASTY.replace('\\', "\\\\").replace('"', "\\\"");
    let escaped = LINES.replace('\n', "\\n").replace("l1ne", "l2ne");
    project.write(
        ".env",
        format!(
            "A_PASSWORD=\"{quoted}\"\nB_KEY='{LINES}'\nC_KEY=\"{escaped}\"\nDOOR_PIN=qz7!\n\
            LAMP_PWD='j8#x'\nSMTP_PASS=wq7vz2k\nSTORE=Name=me;AccountKey=u8Zr/LmX0a+Vt==;X=y\n\
            JSON_SECRET={{\"k\":\"{}\",\"in\":{{\"x\":\"{}\"}},\"env\":\"production\"}}\n\
            API_KEYS={},{}\nQUEUE=amqp://me:p%40th-w0rd%2F1@h/x?token={}\n\
            IN_CODE=eyJwYXNzd29yZCI6ImMwZGVkLXZhbHVlLTEifQ==\n\
            ID=\"{PRIVATE_KEY}\"\n\
            DB_USER=postgres\nDEBUG=true\nENV=production\nPORT=8080\n",
            INNER[0], INNER[1], INNER[2], INNER[3], INNER[5]
        ),
    );
    project.write("deploy/prod/.env.local", format!("export A_TOKEN={}\n", INNER[7]));
    let others = LINES.replace("l1ne", "l2ne");
    let anywhere = [NASTY, LINES, &others, PRIVATE_KEY, "u8Zr/LmX0a+Vt=="];
    let anywhere: Vec<&str> = anywhere.into_iter().chain(INNER).collect();
    let values = json!({
        "anywhere": anywhere,
        "named": [["DOOR_PIN", "qz7!"], ["LAMP_PWD", "j8#x"]],
        "words": ["wq7vz2k"],
        "forms": FORMS,
        "kept": KEPT,
    });
    project.write("values.json", values.to_string());
    project.write("spelled.py", include_str!("spelled.py"));
    project.commit();
    project
}

/// What the project itself says that nobody may keep.
fn forbidden(project: &Project) -> Vec<String> {
    let list = "import json, spelled; print(json.dumps([it for _, it in spelled.everything()]))";
    let output = project.command("python").args(["-c", list]).output().expect("python");
    let mut all: Vec<String> = serde_json::from_slice(&output.stdout).expect("a list");
    all.extend([OF_AGENT, OF_SETTINGS].map(str::to_owned));
    all
}

pub fn a_loop() -> String {
    let project = project();
    let agent = format!("{} --api-key {OF_AGENT}", project.agent(AGENT));
    let run = ["run", "--json", "--max-attempts", "1", "--agent-command", &agent, "fix it"];
    let ended = redgreen(&project, &run, "");
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    let report = redgreen(&project, &["report"], "");
    let page = redgreen(&project, &["report", "--format", "html"], "");
    let secrets = forbidden(&project);
    assert!(secrets.len() > 80, "{secrets:?}");
    let logs = logs(&project);
    for line in KEPT {
        assert!(logs.contains(&format!("\n{line}\n")), "no {line:?}: {logs}");
    }
    let record = project.root().join(".aiwg/ralph/debug-memory");
    assert!(record.is_dir());
    assert_none(&project, &secrets, &[&ended, &report, &page])
}

/// A key in the agent's command is not in the work tree, and is there when the loop is taken up again.
pub fn a_key_of_the_agent() -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::empty();
    project.write("value", "bad\n");
    project.commit();
    let dies = "until [ -s \"$OUTSIDE/redgreen\" ]; do sleep 0.1; done\nkill -9 \"$(cat \"$OUTSIDE/redgreen\")\"\nsleep 60";
    let agent = format!("{} --api-key {OF_AGENT}", project.agent(dies));
    let check = ["--test-command", "grep -q good value", "--trust-exit-code"];
    let run = [&["run", "--agent-command", &agent][..], &check, &["fix it"]].concat();
    let mut command = project.redgreen_command(&run);
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("redgreen");
    fs::write(project.outside().join("redgreen"), child.id().to_string()).expect("a note");
    assert_eq!(child.wait_with_output().expect("its end").status.code(), None);

    let secrets = [OF_AGENT.to_owned()];
    let kept = project.home().join(".local/state/redgreen/plans").join(project.session() + ".json");
    let mode = |path: &Path| fs::metadata(path).expect("it").permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(kept.parent().expect("a folder"))), (0o600, 0o700));
    assert!(fs::read_to_string(&kept).expect("a plan").contains(OF_AGENT));
    let elsewhere = project.outside().join("plan");
    fs::rename(&kept, &elsewhere).expect("moved");
    let refused = project.redgreen(&["resume"]);
    assert!(
        refused.code != Some(0) && refused.stderr.contains("cannot be resumed"),
        "{}",
        refused.stderr
    );
    assert_none(&project, &secrets, &[&refused]);
    fs::rename(&elsewhere, &kept).expect("moved back");

    project.agent(&format!("[ \"$2\" = {OF_AGENT} ] && echo good > value"));
    let resumed = project.redgreen(&["resume", "--json"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.stdout, resumed.stderr);
    assert!(!kept.exists());
    let again = project.redgreen(&["resume", &project.session()]);
    assert_none(&project, &secrets, &[&resumed, &again])
}
