use std::path::Path;

use super::*;

fn start(name: &str) -> (&'static Agent, &'static Start) {
    let agent = Agent::named(name).expect("an agent of the table");
    (agent, agent.start.expect("it can be started"))
}

fn words(name: &str, settings: StartSettings<'_>) -> String {
    let (agent, start) = start(name);
    let request = InvocationRequest {
        session: "s-1",
        attempt: 2,
        phase: "apply_fix",
        prompt_file: Path::new("/p.md"),
        feedback_file: Path::new("/f.json"),
        analysis_file: Path::new("/a.json"),
        redgreen: Path::new("/bin/redgreen"),
        path: None,
    };
    let invocation = start.invocation(agent, &request, settings);
    assert!(invocation.env.contains(&(command::SESSION, "s-1".into())), "{name}");
    assert_eq!(invocation.prompt_on_stdin, name != "aider");
    let Launch::Program(words) = invocation.launch else { panic!("{name} is a program") };
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_agent_but_cursor_is_started_without_questions() {
    let expected = [
        "claude --print --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools Bash",
        "codex exec --json --sandbox workspace-write -",
        "gemini --output-format stream-json --approval-mode yolo --skip-trust",
        "qwen --output-format stream-json --approval-mode yolo",
        "copilot --output-format json --allow-all-tools",
        "opencode run --format json --auto",
        "kilo run --format json --auto",
        "aider --yes-always --no-auto-commits --no-dirty-commits --no-pretty --no-stream --no-check-update --message-file /p.md",
    ];
    let startable = crate::AGENTS.iter().filter(|agent| agent.start.is_some());
    let names: Vec<&str> = startable.map(|agent| agent.name).collect();
    let found: Vec<String> =
        names.iter().map(|name| words(name, StartSettings::default())).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_is_configured_replaces_what_is_usual_and_comes_before_the_prompt() {
    let args = ["-s".to_owned(), "danger-full-access".to_owned()];
    let settings = StartSettings { model: Some("big"), args: &args };
    assert_eq!(words("codex", settings), "codex exec --json --model big -s danger-full-access -");
    let args = ["--permission-mode=plan".to_owned(), "--verbosely".to_owned()];
    let settings = StartSettings { model: None, args: &args };
    assert_eq!(
        words("claude", settings),
        "claude --print --output-format stream-json --verbose --allowedTools Bash --permission-mode=plan --verbosely"
    );
}

/// Agent, what it printed, what it said with that, and its problem.
const OUTPUTS: &[(&str, &str, &str, Option<&str>)] = &[
    (
        "claude",
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Looking."}]}}
{"type":"result","subtype":"success","is_error":false,"num_turns":3,"result":"Done.\nIt adds now."}"#,
        "Done.\nIt adds now.",
        None,
    ),
    (
        "claude",
        r#"{"type":"result","subtype":"success","is_error":true,"result":"API Error: no connection"}"#,
        "API Error: no connection",
        Some("API Error: no connection"),
    ),
    (
        "claude",
        r#"{"type":"result","subtype":"error_max_turns","is_error":true}"#,
        "",
        Some("error_max_turns"),
    ),
    (
        "codex",
        r#"WARNING: something about the PATH
{"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"error","message":"Reconnecting... 1/5"}
{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","exit_code":0}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"It adds now."}}
{"type":"turn.completed","usage":{"input_tokens":20}}"#,
        "It adds now.",
        None,
    ),
    (
        "codex",
        r#"{"type":"turn.started"}
{"type":"error","message":"unexpected status 401"}
{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}"#,
        "",
        Some("unexpected status 401 Unauthorized"),
    ),
    (
        "gemini",
        r#"YOLO mode is enabled.
{"type":"message","role":"user","content":"fix it"}
{"type":"message","role":"assistant","content":"Let me look.","delta":true}
{"type":"tool_use","tool_name":"read_file","parameters":{}}
{"type":"message","role":"assistant","content":"It adds","delta":true}
{"type":"message","role":"assistant","content":" now.","delta":true}
{"type":"result","status":"success","stats":{}}"#,
        "It adds now.",
        None,
    ),
    (
        "gemini",
        r#"{"type":"result","status":"error","error":{"type":"Error","message":"no quota"}}"#,
        "",
        Some("no quota"),
    ),
    (
        "qwen",
        r#"{"type":"result","subtype":"success","is_error":false,"result":"It adds now."}"#,
        "It adds now.",
        None,
    ),
    (
        "qwen",
        r#"{"type":"result","subtype":"success","is_error":false,"result":"[API Error: no connection]"}"#,
        "[API Error: no connection]",
        Some("[API Error: no connection]"),
    ),
    (
        "copilot",
        r#"{"type":"assistant.message","data":{"content":"It adds now.","toolRequests":[]}}
{"type":"assistant.idle","data":{}}
{"type":"result","exitCode":0}"#,
        "It adds now.",
        None,
    ),
    (
        "copilot",
        r#"{"type":"session.error","data":{"errorType":"query","message":"Could not connect."}}"#,
        "",
        Some("Could not connect."),
    ),
    (
        "opencode",
        r#"{"type":"step_start","part":{}}
{"type":"text","part":{"type":"text","text":"It adds now."}}
{"type":"step_finish","part":{"reason":"stop"}}"#,
        "It adds now.",
        None,
    ),
    (
        "opencode",
        r#"{"type":"error","error":{"name":"APIError","data":{"message":"not valid"}}}"#,
        "",
        Some("not valid"),
    ),
    (
        "aider",
        "Aider v0.86.2\nlitellm.InternalServerError: gone\nRetrying in 0.2 seconds...\n\nIt adds now.\n\nTokens: 10 sent, 10 received.\nApplied edit to calc.py\n",
        "It adds now.",
        None,
    ),
    (
        "aider",
        "Aider v0.86.2\nlitellm.AuthenticationError: not valid\n",
        "litellm.AuthenticationError: not valid",
        Some("litellm.AuthenticationError: not valid"),
    ),
];

#[test]
fn the_last_word_is_read_from_what_they_print() {
    for (name, output, said, problem) in OUTPUTS {
        let expected = LastWord { said: (*said).to_owned(), problem: problem.map(str::to_owned) };
        assert_eq!(start(name).1.last_word(output), expected, "{name}: {output}");
    }
}

#[test]
fn what_cannot_be_read_says_nothing() {
    for (name, output, ..) in OUTPUTS.iter().filter(|(name, ..)| *name != "aider") {
        let read = start(name).1.read;
        for odd in ["", "{", "{}", "[]", "{\"type\":7}", "{\"type\":\"result\"}", "\u{0}{\"type\""]
        {
            assert_eq!(read(odd), LastWord::default(), "{name}: {odd}");
        }
        // Cut anywhere, as at the beginning of what was kept.
        for (place, _) in output.char_indices() {
            read(&output[place..]);
            read(&output[..place]);
        }
    }
}

#[test]
fn what_an_agent_says_that_it_cost_is_counted() {
    let output = "warming up\n{\"type\":\"x\",\"total_cost_usd\":1}\n{\"type\":\"result\",\"total_cost_usd\":0.1234}\n";
    assert_eq!(reported_cost(output), 123_400);
    for nothing in ["", "{\"total_cost_usd\":-3}", "{\"total_cost_usd\":\"much\"}", "{"] {
        assert_eq!(reported_cost(nothing), 0, "{nothing}");
    }
}
