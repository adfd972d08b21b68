//! `redgreen mcp`: what a client is told, what an agent can do by it and what it cannot, and what is left when a client
//! dies.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::common::Project;

/// A client of a server of its own.
struct Client {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Notifications that came while an answer was waited for.
    told: Vec<Value>,
}

impl Client {
    fn start(project: &Project) -> Self {
        let mut command = project.redgreen_command(&["mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut server = command.spawn().expect("a server");
        let input = server.stdin.take();
        let output = BufReader::new(server.stdout.take().expect("it is piped"));
        Self { server, input, output, next: 0, told: Vec::new() }
    }

    fn send(&mut self, line: &str) {
        let input = self.input.as_mut().expect("it is open");
        writeln!(input, "{line}").expect("sent");
    }

    fn ask(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let id = self.next;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&request.to_string());
        id
    }

    fn line(&mut self) -> Option<Value> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line).expect("a line");
        (length > 0).then(|| serde_json::from_str(&line).expect("JSON"))
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let value = self.line().expect("the server is there");
            if value["id"] == id {
                return value;
            }
            self.told.push(value);
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// Calls a tool: whether it is an error, and its words.
    fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let params = json!({"name": tool, "arguments": arguments});
        let said = self.request("tools/call", params);
        let result = &said["result"];
        assert!(result.is_object(), "{said}");
        let text = result["content"][0]["text"].as_str().expect("words").to_owned();
        (result["isError"] == true, text)
    }

    /// Calls a tool that says something for programs.
    fn seen(&mut self, tool: &str, arguments: Value) -> Value {
        let (is_error, text) = self.call(tool, arguments);
        assert!(!is_error, "{text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Goes away, and waits for the server to do so.
    fn end(mut self) -> Option<i32> {
        self.input = None;
        while self.line().is_some() {}
        self.server.wait().expect("it ends").code()
    }
}

/// A project in shell that a person has trusted, with a test that waits where there is a FIFO.
fn waiting() -> Project {
    let project = Project::shell();
    project.write("value.sh", "first=ok\nsecond=ok\n");
    let slow = "if [ -p \"$OUTSIDE/go\" ]; then echo x >\"$OUTSIDE/begun\"; read -r line <\"$OUTSIDE/go\"; fi";
    project.case("slow", slow);
    project.commit();
    project.trust();
    project
}

#[test]
fn a_client_is_told_who_it_speaks_with_in_each_version_of_the_protocol() {
    let project = Project::shell();
    let mut client = Client::start(&project);
    for version in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let said = client.request("initialize", params);
        assert_eq!(said["result"]["protocolVersion"], version, "{said}");
        assert_eq!(said["result"]["serverInfo"]["name"], "redgreen");
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    let tools = client.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().expect("tools").clone();
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let all = "brief run_tests failures coverage analyse declare gate_status give_up";
    assert_eq!(names.join(" "), all);
    assert_eq!(client.request("nonsense", json!({}))["error"]["code"], -32601);
    client.send(r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x"},3]"#);
    let answers = client.line().expect("an answer");
    assert_eq!(answers.as_array().map(Vec::len), Some(2), "{answers}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn an_agent_asks_for_tests_and_failures_and_is_told_what_redgreen_sees() {
    let project = Project::pytest();
    let mut client = Client::start(&project);
    let (is_error, words) = client.call("run_tests", json!({}));
    assert!(is_error && words.contains("redgreen trust"), "{words}");
    assert!(!project.root().join(".redgreen/runs").exists(), "nothing ran");
    project.trust();
    let params = json!({"name": "run_tests", "_meta": {"progressToken": "p"}});
    let said = client.request("tools/call", params);
    let seen = &said["result"]["structuredContent"];
    assert_eq!(seen["verdict"], "failed", "{said}");
    assert_eq!(
        (&seen["test_results"]["passed"], &seen["test_results"]["failed"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(seen["failures"][0]["test"], "tests/test_calc.py::test_subtract", "{seen}");
    assert!(
        client.told.iter().all(|told| told["params"]["progressToken"] == "p"),
        "{:?}",
        client.told
    );
    let last = client.told.last().expect("it was told how far it is");
    assert!(last["params"]["progress"].as_u64() >= Some(2), "{last}");
    let failures = client.seen("failures", json!({"test": "subtract"}));
    assert_eq!(failures["is_of_the_code_that_is_there"], true, "{failures}");
    assert_eq!(failures["failures"][0]["failure"]["expected"], "2", "{failures}");
    assert_eq!(client.seen("gate_status", json!({}))["decision"], "block");
    project.write(
        "calc.py",
        project.read("calc.py").replace(
            "b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a + b",
            "b):\n    return a + b\n\n\ndef subtract(a, b):\n    return a - b",
        ),
    );
    assert_eq!(client.seen("failures", json!({}))["is_of_the_code_that_is_there"], false);
    let seen = client.seen("run_tests", json!({}));
    assert_eq!(
        (&seen["verdict"], &seen["last_time"]["verdict"]),
        (&json!("passed"), &json!("failed")),
        "{seen}"
    );
    let coverage = client.seen("coverage", json!({}));
    assert_eq!(coverage["result"], "coverage", "{coverage}");
    let evidence = client.request("resources/read", json!({"uri": "redgreen://evidence"}));
    let text = evidence["result"]["contents"][0]["text"].as_str().expect("text");
    assert!(text.contains("\"result\":\"evidence\""), "{evidence}");
    let report = client.request("resources/read", json!({"uri": "redgreen://report"}));
    assert_eq!(report["error"]["code"], -32002, "there was no loop: {report}");
    let (is_error, words) = client.call("brief", json!({"files": ["calc.py"]}));
    assert!(!is_error, "{words}");
    assert_eq!(client.end(), Some(0));
    assert!(!project.root().join(".redgreen/mcp").exists(), "nothing is left");
}

#[test]
fn commands_that_an_agent_wrote_are_not_run() {
    let project = Project::shell();
    project.trust();
    let mark = project.outside().join("ran");
    let command = format!("touch {}; sh tests/run.sh", mark.display());
    let rules = project.read("redgreen.toml");
    project.write("redgreen.toml", rules.replace("sh tests/run.sh", &command));
    let mut client = Client::start(&project);
    for tool in ["run_tests", "coverage"] {
        let (is_error, words) = client.call(tool, json!({}));
        // The coverage of a change is counted by the rules before it.
        assert!(tool == "coverage" || (is_error && words.contains("redgreen trust")), "{words}");
    }
    // Nor by the way of a commit whose rules are taken for those before.
    project.commit();
    project.write("redgreen.toml", rules);
    let (is_error, words) = client.call("coverage", json!({}));
    assert!(is_error && words.contains("redgreen trust"), "{words}");
    let count = "[coverage]\nreports = [\"lcov.info\"]\n";
    let evil = format!("{count}command = \"touch {}\"\n", mark.display());
    project.git(&["checkout", "-q", "HEAD~1", "--", "redgreen.toml"]);
    project.write("redgreen.toml", project.read("redgreen.toml") + &evil);
    let (is_error, words) = client.call("run_tests", json!({}));
    assert!(is_error && words.contains("redgreen trust"), "{words}");
    assert_eq!(client.end(), Some(0));
    assert!(!mark.exists(), "it ran");
}

#[test]
fn nothing_that_a_tool_does_answers_for_a_person_or_goes_around_a_rule() {
    let project = Project::shell();
    project.write(
        "redgreen.toml",
        project.shell_check("") + "\n[square]\nagent_may_declare = false\n",
    );
    project.commit();
    project.case("first", ":");
    let mut client = Client::start(&project);
    for tool in
        ["answer", "inbox", "waive", "trust", "base", "known", "skip", "hooks", "clean", "run"]
    {
        let said = client.request("tools/call", json!({"name": tool, "arguments": {}}));
        assert_eq!(said["error"]["code"], -32602, "{said}");
    }
    let (is_error, words) =
        client.call("declare", json!({"tests": ["first"], "reason": "it is so"}));
    assert!(is_error && words.contains("only a person"), "{words}");
    let ended = project.redgreen(&["declare", "first", "--reason", "it is so"]);
    assert!(
        ended.stderr.trim().ends_with(words.trim()),
        "the same words: {words} {}",
        ended.stderr
    );
    // What looks like an option is a value.
    let (is_error, words) = client.call("give_up", json!({"reason": "--help"}));
    assert!(is_error && words.contains("no agent is held here"), "{words}");
    let (is_error, words) = client.call("run_tests", json!({"command": "true"}));
    assert!(is_error && words.contains("takes no `command`"), "{words}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn a_client_that_dies_in_mid_call_leaves_nothing_running() {
    for how in ["its input ends", "it is stopped", "it is killed"] {
        let project = waiting();
        let go = project.fifo("go");
        let mut begun = project.fifo("begun");
        let mut client = Client::start(&project);
        client.ask("tools/call", json!({"name": "run_tests"}));
        begun.wait();
        assert_ne!(project.survivors(), Vec::<String>::new(), "it runs");
        let server = Pid::from_raw(i32::try_from(client.server.id()).expect("a pid"));
        match how {
            "its input ends" => assert_eq!(client.end(), Some(0), "{how}"),
            "it is stopped" => {
                kill(server, Signal::SIGTERM).expect("sent");
                assert_eq!(client.end(), Some(0), "{how}");
            }
            _ => {
                kill(server, Signal::SIGKILL).expect("sent");
                client.end();
                // What redgreen starts ends with it; the next one waits for that.
                drop(go);
                fs::remove_file(project.outside().join("go")).expect("removed");
                while project.redgreen(&["test"]).stderr.contains("is at work") {}
                assert_eq!(project.redgreen(&["test"]).code, Some(0), "{how}");
            }
        }
        assert_eq!(project.survivors(), Vec::<String>::new(), "{how}");
    }
}

#[test]
fn a_call_that_is_cancelled_ends_without_an_answer_and_the_next_one_is_answered() {
    let project = waiting();
    let mut go = project.fifo("go");
    let mut begun = project.fifo("begun");
    let mut client = Client::start(&project);
    let id = client.ask("tools/call", json!({"name": "run_tests"}));
    begun.wait();
    // Another question is answered meanwhile; one of the same id is not taken.
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    let again =
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "brief"}});
    client.send(&again.to_string());
    assert_eq!(client.answer(id)["error"]["code"], -32600);
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.send(&cancelled.to_string());
    let next = client.ask("tools/call", json!({"name": "run_tests"}));
    begun.wait();
    go.release();
    let said = client.answer(next);
    assert_eq!(said["result"]["structuredContent"]["verdict"], "passed", "{said}");
    assert!(client.told.iter().all(|told| told["id"] != id), "{:?}", client.told);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn two_clients_at_once_are_both_answered() {
    let project = waiting();
    let mut clients = [Client::start(&project), Client::start(&project)];
    let ids =
        clients.each_mut().map(|client| client.ask("tools/call", json!({"name": "run_tests"})));
    let mut passed = 0;
    for (client, id) in clients.iter_mut().zip(ids) {
        let said = client.answer(id);
        let result = &said["result"];
        let words = result["content"][0]["text"].as_str().expect("words");
        match result["isError"] == true {
            // One work tree has one run at a time, whoever asks.
            true => assert!(words.contains("is at work"), "{words}"),
            false => passed += u32::from(result["structuredContent"]["verdict"] == "passed"),
        }
    }
    assert!(passed > 0);
    for client in clients {
        assert_eq!(client.end(), Some(0));
    }
}

#[test]
fn whatever_comes_in_the_server_goes_on() {
    let project = Project::shell();
    let mut client = Client::start(&project);
    client.next = 1000;
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/cases/mcp_line");
    for case in fs::read_dir(cases).expect("cases") {
        let text = fs::read_to_string(case.expect("a case").path()).expect("text");
        text.lines().for_each(|line| client.send(line));
    }
    client.send(&"x".repeat(5 * 1024 * 1024));
    let deep = "[".repeat(1_000_000);
    client.send(&deep);
    client.input.as_mut().expect("open").write_all(b"\xff\xfe\n\n\r\n{\"a\":\n").expect("sent");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert_eq!(client.end(), Some(0));
}

#[test]
fn in_a_loop_an_agent_is_told_that_the_loop_runs_the_tests() {
    let project = Project::shell();
    project.trust();
    let _end = project.fifo("end");
    let redgreen = env!("CARGO_BIN_EXE_redgreen");
    let call =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_tests"}});
    let script = format!(
        "{{ echo '{call}'; read -r line <\"$OUTSIDE/end\"; }} | '{redgreen}' mcp | {{ read -r line; echo \"$line\" >\"$OUTSIDE/said\"; echo x >\"$OUTSIDE/end\"; }}\nprintf 'first=ok\\nsecond=ok\\n' >value.sh"
    );
    project.run(&script, &[]).assert_ended(0, "passed", "");
    let said = project.notes("said");
    assert!(said.contains("runs the tests itself when you end your turn"), "{said}");
    assert!(!said.contains("or end it"), "{said}");
}

#[test]
fn outside_of_a_work_tree_a_call_says_so() {
    let project = Project::shell();
    let mut command = project.redgreen_command(&["mcp"]);
    command.current_dir(project.home()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().expect("a server");
    let mut input = server.stdin.take().expect("piped");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "gate_status"}});
    writeln!(input, "{call}").expect("sent");
    let mut output = BufReader::new(server.stdout.take().expect("piped"));
    let mut line = String::new();
    output.read_line(&mut line).expect("a line");
    let said: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(said["result"]["isError"], true, "{said}");
    drop(input);
    assert_eq!(server.wait().expect("it ends").code(), Some(0));
}

#[test]
fn hooks_install_puts_the_server_where_the_agent_reads_it_and_takes_it_back() {
    let project = Project::shell();
    let before = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}\n  }\n}\n";
    project.write(".mcp.json", before);
    let plain = project.redgreen(&["hooks", "install", "claude"]);
    plain.assert_code(0);
    assert_eq!(project.read(".mcp.json"), before, "it is asked for");
    assert!(plain.stderr.contains("hooks install --mcp"), "{}", plain.stderr);
    let all = ["claude", "gemini", "cursor", "opencode"];
    let install = [&["hooks", "install", "--mcp", "--json"], &all[..]].concat();
    let installed = project.redgreen(&install);
    installed.assert_code(0);
    let entries: Value = serde_json::from_str(&project.read(".mcp.json")).expect("JSON");
    let entry = &entries["mcpServers"]["redgreen"];
    assert_eq!(entry["args"], json!(["mcp"]), "{entries}");
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_redgreen"), "{entries}");
    assert_eq!(entries["mcpServers"]["other"]["command"], "x");
    for (file, name) in [
        (".gemini/settings.json", "mcpServers"),
        (".cursor/mcp.json", "mcpServers"),
        ("opencode.json", "mcp"),
    ] {
        let entries: Value = serde_json::from_str(&project.read(file)).expect("JSON");
        assert!(entries[name]["redgreen"].is_object(), "{file}: {entries}");
    }
    let status = project.redgreen(&["hooks", "status", "claude"]);
    assert!(status.stdout.contains("its tools: current in .mcp.json"), "{}", status.stdout);
    project
        .redgreen(&["hooks", "uninstall", "claude", "gemini", "cursor", "opencode"])
        .assert_code(0);
    assert_eq!(project.read(".mcp.json"), before);
    for file in [".gemini/settings.json", ".cursor/mcp.json", "opencode.json"] {
        assert!(!project.root().join(file).exists(), "{file}");
    }
}
