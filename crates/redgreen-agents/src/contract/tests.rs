use serde_json::{Value, json};

use super::*;

fn agent(name: &str) -> &'static Agent {
    Agent::named(name).expect("an agent of the table")
}

fn read(name: &str, payload: &Value) -> HookEvent {
    read_event(agent(name), Some(EventKind::Stop), payload.to_string().as_bytes())
}

fn stop_of(name: &str) -> Value {
    let common = json!({"session_id": "s-1", "cwd": "/repo", "last_assistant_message": "Done."});
    let with = |fields: Value| {
        let mut payload = common.clone();
        for (key, value) in fields.as_object().expect("an object") {
            payload[key] = value.clone();
        }
        payload
    };
    match name {
        "claude" => with(json!({
            "hook_event_name": "Stop", "permission_mode": "acceptEdits", "prompt_id": "p",
            "stop_hook_active": false, "background_tasks": [], "session_crons": [],
        })),
        "codex" => with(json!({
            "hook_event_name": "Stop", "turn_id": "t", "model": "m", "stop_hook_active": true,
        })),
        "gemini" => json!({
            "session_id": "s-1", "cwd": "/repo", "hook_event_name": "AfterAgent",
            "timestamp": "2026-11-15T08:18:59.017Z", "prompt": "Fix it", "prompt_response": "Done.",
        }),
        "qwen" => with(json!({
            "hook_event_name": "Stop", "timestamp": "2026-11-15T08:19:16Z", "stop_hook_active": true,
        })),
        "copilot" => json!({
            "sessionId": "s-1", "timestamp": 1_794_730_766_362_u64, "cwd": "/repo",
            "transcriptPath": "/home/me/.copilot/session-state/s-1/events.jsonl",
            "stopReason": "end_turn", "stop_hook_active": false,
        }),
        "opencode" | "kilo" => with(json!({"hook_event_name": "stop"})),
        "cursor" => json!({
            "conversation_id": "s-1", "generation_id": "g", "hook_event_name": "stop",
            "cursor_version": "2.4.0", "workspace_roots": ["/repo"], "status": "completed",
            "loop_count": 0,
        }),
        _ => panic!("no payload for {name}"),
    }
}

#[test]
fn a_stop_of_every_agent_is_read() {
    for agent in AGENTS.iter().filter(|agent| agent.hooks.is_some()) {
        let event = read(agent.name, &stop_of(agent.name));
        assert_eq!(event.kind, EventKind::Stop, "{}", agent.name);
        assert_eq!(event.caller, *agent);
        assert_eq!(event.session.as_deref(), Some("s-1"), "{}", agent.name);
        assert_eq!(event.folders.first(), Some(&"/repo".into()), "{}", agent.name);
        assert_eq!((event.background.len(), event.unreadable), (0, None));
        let speaks = !["copilot", "cursor"].contains(&agent.name);
        assert_eq!(event.last_message.as_deref(), speaks.then_some("Done."), "{}", agent.name);
    }
}

#[test]
fn the_payload_names_the_event_if_the_agent_is_known_to_have_it() {
    let cases = [
        ("claude", "SessionStart", None, EventKind::SessionStart),
        ("claude", "SubagentStop", Some(EventKind::Stop), EventKind::SubagentStop),
        ("claude", "SessionStart", Some(EventKind::Stop), EventKind::SessionStart),
        ("gemini", "BeforeAgent", None, EventKind::Prompt),
        ("gemini", "Stop", None, EventKind::Other("Stop".into())),
        ("claude", "TurnFinished", Some(EventKind::Stop), EventKind::Stop),
        ("claude", "TurnFinished", None, EventKind::Other("TurnFinished".into())),
        ("cursor", "beforeSubmitPrompt", None, EventKind::Prompt),
    ];
    for (name, told, named, expected) in cases {
        let payload = json!({"hook_event_name": told}).to_string();
        let event = read_event(agent(name), named, payload.as_bytes());
        assert_eq!(event.kind, expected, "{name} {told}");
    }
}

#[test]
fn what_cannot_be_understood_is_a_stop() {
    let deep = "[".repeat(100_000);
    let cases: [&[u8]; 10] = [
        b"",
        b"\xef\xbb\xbf",
        b"null",
        b"[1,2]",
        b"\"Stop\"",
        b"done.",
        b"{\"hook_event_name\": 3, \"session_id\": [], \"cwd\": {}}",
        b"{\"hook_event_name\": null, \"background_tasks\": \"many\"}",
        b"\xff\xfe{\x00}\x00",
        deep.as_bytes(),
    ];
    for bytes in cases {
        for agent in AGENTS {
            let event = read_event(agent, None, bytes);
            assert_eq!(event.kind, EventKind::Stop, "{:?}", bytes.get(..20));
            assert_eq!((event.session, event.folders.len()), (None, 0));
        }
    }
}

#[test]
fn fields_before_the_break_count() {
    let whole = stop_of("claude").to_string();
    let said = whole.find("Done.").expect("it is said");
    let event = read_event(agent("claude"), None, &whole.as_bytes()[..said]);
    assert_eq!(event.session.as_deref(), Some("s-1"));
    assert_eq!(event.folders, [PathBuf::from("/repo")]);
    assert!(event.unreadable.is_some());

    let nested = format!("{{\"session_id\":\"a\",\"new\":{}", "[".repeat(500));
    let event = read_event(agent("claude"), None, nested.as_bytes());
    assert_eq!((event.kind, event.session.as_deref()), (EventKind::Stop, Some("a")));
}

#[test]
fn a_byte_order_mark_and_foreign_bytes_are_no_obstacle() {
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    bytes.extend_from_slice(b"{\"session_id\":\"a\xff\",\"cwd\":\"/repo\"}  trailing");
    let event = read_event(agent("cursor"), None, &bytes);
    assert_eq!(event.session.as_deref(), Some("a\u{fffd}"));
    assert_eq!(event.folders, [PathBuf::from("/repo")]);
}

#[test]
fn a_session_is_clean_and_bounded() {
    let payload = json!({"session_id": format!("\u{1b}[31m{}\n", "x".repeat(5_000))});
    let session = read("claude", &payload).session.expect("a session");
    assert_eq!(session.chars().count(), LINE_CHARS);
    assert!(session.starts_with("xxx"));
    assert_eq!(read("claude", &json!({"session_id": " \n"})).session, None);
}

#[test]
fn background_tasks_that_ended_do_not_count() {
    let mut payload = stop_of("claude");
    payload["background_tasks"] = json!([
        {"id": "b1", "status": "running", "command": "npm run dev"},
        {"id": "b2", "status": "completed", "description": "Tests"},
        {"id": "b3", "status": "something new", "description": "Agent\nat work"},
        "b4", 5,
    ]);
    let event = read("claude", &payload);
    assert_eq!(event.background, ["npm run dev", "Agent\\nat work", "b4", "a task"]);
}

#[test]
fn who_runs_the_hooks_of_another_is_known_by_its_payload() {
    let through_copilot = json!({
        "hook_event_name": "Stop", "session_id": "s", "timestamp": "2026-11-15T08:11:39.412Z",
        "cwd": "/repo", "transcript_path": "/home/me/.copilot/session-state/s/events.jsonl",
        "stop_reason": "end_turn", "stop_hook_active": false,
    });
    let event = read("claude", &through_copilot);
    assert_eq!((event.caller.name, event.kind), ("copilot", EventKind::Stop));
    assert_eq!(event.session.as_deref(), Some("s"));

    let start = json!({
        "hook_event_name": "SessionStart", "session_id": "s", "timestamp": "2026-11-15T08:11:39.412Z",
        "cwd": "/repo", "source": "new", "initial_prompt": "Fix it",
    });
    let event = read("claude", &start);
    assert_eq!((event.caller.name, event.kind), ("copilot", EventKind::SessionStart));

    let event = read("claude", &stop_of("cursor"));
    assert_eq!((event.caller.name, event.kind), ("cursor", EventKind::Stop));
    assert_eq!(event.session.as_deref(), Some("s-1"));

    // A newer Claude Code, or one that works on Copilot's files, is still Claude Code.
    for (key, value) in [
        ("timestamp", json!("2026-11-15T08:11:39.412Z")),
        ("stop_reason", json!("end_turn")),
        ("cwd", json!("/home/me/.copilot")),
        ("cursor_version", json!("2")),
    ] {
        let mut payload = stop_of("claude");
        payload[key] = value;
        assert_eq!(read("claude", &payload).caller.name, "claude", "{key}");
    }
    // Nobody but those who read Claude Code's settings.
    assert_eq!(read("qwen", &through_copilot).caller.name, "qwen");
}

#[test]
fn a_stop_by_a_person_is_no_stop_of_the_agent() {
    let mut payload = stop_of("cursor");
    payload["status"] = json!("aborted");
    assert!(matches!(read("cursor", &payload).kind, EventKind::Other(_)));
    payload["status"] = json!("error");
    assert_eq!(read("cursor", &payload).kind, EventKind::Stop);
}

/// Every key that an answer to each agent may have, as documented.
const DOCUMENTED: &[(&str, &[&str])] = &[
    ("claude", &["decision", "reason", "systemMessage", "hookSpecificOutput"]),
    ("codex", &["decision", "reason", "systemMessage", "hookSpecificOutput"]),
    ("gemini", &["decision", "reason", "systemMessage", "hookSpecificOutput"]),
    ("qwen", &["decision", "reason", "systemMessage", "hookSpecificOutput"]),
    ("copilot", &["decision", "reason"]),
    ("opencode", &["decision", "reason", "systemMessage"]),
    ("kilo", &["decision", "reason", "systemMessage"]),
    ("cursor", &["followup_message", "additional_context"]),
];

#[test]
fn answers_hold_only_what_is_documented_and_exit_with_0() {
    let text = "no \"tests\"\nran".to_owned();
    let answers = [
        Answer::allow("seen"),
        Answer::tell(text.clone()),
        Answer::block(text.clone()),
        Answer::let_go(text),
    ];
    let mut kinds = EventKind::NAMED.to_vec();
    kinds.push(EventKind::Other("New".into()));
    for (name, keys) in DOCUMENTED {
        for kind in &kinds {
            for given in &answers {
                let spoken = answer(agent(name), kind, given);
                assert_eq!(spoken.exit_code, 0);
                if spoken.stdout.is_empty() {
                    continue;
                }
                assert_eq!(spoken.stdout.matches('\n').count(), 1, "one line");
                let value: Value = serde_json::from_str(&spoken.stdout).expect("JSON");
                let told = value.as_object().expect("an object");
                for key in told.keys() {
                    assert!(keys.contains(&key.as_str()), "{name} {kind:?} {given:?}: {key}");
                }
                let holds = told.contains_key("decision") || told.contains_key("followup_message");
                let may_hold = matches!(given, Answer::Block { .. });
                assert!(!holds || may_hold, "{name} {kind:?} {given:?}");
            }
        }
    }
    assert_eq!(DOCUMENTED.len(), AGENTS.iter().filter(|agent| agent.hooks.is_some()).count());
}

#[test]
fn a_block_of_a_stop_is_said_to_every_agent() {
    for agent in AGENTS {
        for kind in [EventKind::Stop, EventKind::SubagentStop] {
            let spoken = answer(agent, &kind, &Answer::block("2 tests fail"));
            let value: Value = serde_json::from_str(&spoken.stdout).expect("JSON");
            let expected = match agent.name {
                "cursor" => json!({"followup_message": "2 tests fail"}),
                _ => json!({"decision": "block", "reason": "2 tests fail"}),
            };
            assert_eq!(value, expected, "{}", agent.name);
        }
        assert!(matches!(
            answer(agent, &EventKind::Stop, &Answer::allow("seen")).stdout.trim(),
            "" | "{}"
        ));
    }
}

#[test]
fn a_text_for_an_agent_is_bounded_and_says_so() {
    let longest = "ü".repeat(REASON_CHARS);
    let said = |text: String| {
        let spoken = answer(agent("codex"), &EventKind::Stop, &Answer::block(text));
        let value: Value = serde_json::from_str(&spoken.stdout).expect("JSON");
        value["reason"].as_str().expect("a reason").to_owned()
    };
    assert_eq!(said(longest.clone()), longest);
    let cut = said(longest + "ü");
    assert_eq!(cut.chars().count(), REASON_CHARS);
    assert!(cut.ends_with("redgreen's report]"), "{}", &cut[cut.len() - 60..]);
}

#[test]
fn the_end_of_the_first_value_is_found_piece_by_piece() {
    let text = "\u{feff} {\"a\": \"}]\\\"\\\\\", \"b\": [{}, [\"{\"]]}";
    let whole = format!("{text}{{\"next\": 1}}");
    for size in 1..9 {
        let mut value = FirstValue::default();
        let mut taken = 0;
        for piece in whole.as_bytes().chunks(size) {
            taken += piece.len();
            if value.feed(piece) {
                break;
            }
        }
        assert!(taken >= text.len() && taken < text.len() + size, "{taken} by {size}");
    }
    for endless in ["", "done.", "\"{}\"", "}", "{\"a\": \"}"] {
        assert!(!FirstValue::default().feed(endless.as_bytes()), "{endless}");
    }
}

#[test]
fn an_example_is_read_as_what_it_is_an_example_of() {
    for agent in AGENTS.iter().filter(|agent| agent.hooks.is_some()) {
        for kind in [EventKind::Stop, EventKind::SessionStart] {
            let text = example(agent, &kind, "s", "/repo").expect("an example");
            let event = read_event(agent, Some(kind.clone()), text.as_bytes());
            assert_eq!((event.kind, event.caller), (kind, *agent));
            assert_eq!(event.session.as_deref(), Some("s"));
            assert_eq!(event.folders, [PathBuf::from("/repo")]);
        }
    }
    assert_eq!(example(agent("gemini"), &EventKind::SubagentStop, "s", "/repo"), None);
    assert_eq!(example(agent("aider"), &EventKind::Stop, "s", "/repo"), None);
}

#[test]
fn what_is_said_is_heard_and_nothing_else_holds() {
    for agent in AGENTS {
        let said = |given: &Answer| answer(agent, &EventKind::Stop, given);
        let hears = |spoken: &Spoken| {
            heard(agent, spoken.stdout.as_bytes(), Some(i32::from(spoken.exit_code)))
        };
        assert_eq!(hears(&said(&Answer::block("red"))), Heard::Held("red".into()));
        for free in [Answer::allow("seen"), Answer::tell("a"), Answer::let_go("b")] {
            assert_eq!(hears(&said(&free)), Heard::Free, "{}", agent.name);
        }
        let held = said(&Answer::block("red")).stdout;
        assert_eq!(heard(agent, held.as_bytes(), Some(1)), Heard::Free);
        assert_eq!(heard(agent, held.as_bytes(), None), Heard::Free);
        assert_eq!(heard(agent, format!("{held} {held}").as_bytes(), Some(0)), Heard::Free);
    }
}

#[test]
fn who_reads_at_the_start_is_told_where_the_model_sees_it() {
    for agent in AGENTS {
        let Some(contract) = agent.hooks else { continue };
        let words = Answer::tell("know this".to_owned());
        let spoken = answer(agent, &EventKind::SessionStart, &words);
        let to_the_model =
            spoken.stdout.to_lowercase().replace('_', "").contains("additionalcontext");
        assert_eq!(contract.reads_at_start, to_the_model, "{}: {spoken:?}", agent.name);
    }
}
