use std::io::{Read as _, Write as _};

use super::*;

/// A model that reads, writes, runs and says something, in a folder.
fn model(folder: &Path) -> Model {
    let model = Model::start(folder, &folder.join("log")).expect("it starts");
    let turns =
        vec![Turn::Read("a"), Turn::Write("a", "new\n"), Turn::Run("ls"), Turn::Say("Done.")];
    model.play(Scenario { turns, then: "Nothing." });
    model
}

/// Sends requests on one connection, and returns everything that comes back.
fn talk(model: &Model, requests: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, model.port)).expect("it listens");
    stream.write_all(requests.as_bytes()).expect("a request");
    stream.shutdown(std::net::Shutdown::Write).expect("the end");
    let mut reply = String::new();
    stream.read_to_string(&mut reply).expect("a reply");
    reply
}

fn post(path: &str, body: &Value) -> String {
    let body = body.to_string();
    format!("POST {path} HTTP/1.1\r\nHost: here\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// Asks as often as there are turns, and then once more.
fn play_all(path: &str, body: &Value) -> (Vec<String>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(folder.path());
    let said = (0..5).map(|_| talk(&model, &post(path, body))).collect();
    (said, model.heard())
}

#[track_caller]
fn assert_has(reply: &str, words: &[&str]) {
    for word in words {
        assert!(reply.contains(word), "no `{word}` in {reply}");
    }
}

#[test]
fn a_client_of_messages_gets_events() {
    let properties = json!({ "file_path": {}, "content": {} });
    let tool = |name: &str| json!({ "name": name, "input_schema": { "properties": properties } });
    let body = json!({
        "stream": true, "model": "m", "tools": [tool("Read"), tool("Write"), tool("Bash")],
        "messages": [
            { "role": "user", "content": "old" },
            { "role": "assistant", "content": "old too" },
            { "role": "user", "content": [{ "type": "text", "text": "new \"words\"" }] },
        ],
    });
    let (said, heard) = play_all("/v1/messages?beta=true", &body);
    assert_has(&said[0], &["event: message_start", "\"name\":\"Read\"", "input_json_delta"]);
    assert_has(&said[1], &["\"name\":\"Write\"", "\\\"content\\\":\\\"new\\\\n\\\"", "tool_use"]);
    assert_has(&said[2], &["\"name\":\"Bash\"", "\\\"command\\\":\\\"ls\\\""]);
    assert_has(&said[3], &["\"text_delta\",\"text\":\"Done.\"", "end_turn", "message_stop"]);
    assert_has(&said[4], &["Nothing."]);
    assert_eq!(heard, vec!["user\ntext\nnew \"words\""; 5]);
}

#[test]
fn a_client_of_responses_without_a_tool_for_files_uses_the_shell() {
    let tool = json!({
        "type": "function", "name": "exec_command",
        "parameters": { "properties": { "cmd": {} }, "required": ["cmd", "wait"] },
    });
    let body = json!({ "stream": true, "input": "fix it", "tools": [tool] });
    let (said, heard) = play_all("/v1/responses", &body);
    assert_has(&said[0], &["event: response.created", "function_call", "cat > '", "wait"]);
    assert_has(&said[1], &["\\\"cmd\\\":\\\"ls\\\""]);
    assert_has(&said[2], &["response.completed", "\"output_text\",\"text\":\"Done.\""]);
    assert_eq!(heard[0], "fix it");
    let script = json!({ "type": "namespace", "name": "n", "tools": [{ "type": "custom", "name": "exec" }] });
    let (said, _) = play_all("/v1/responses", &json!({ "input": [], "tools": [script] }));
    assert_has(&said[1], &["custom_tool_call", "tools.exec_command", "\"namespace\":\"n\""]);
}

#[test]
fn a_client_of_completions_with_no_tools_gets_files_as_text_or_a_side_answer() {
    let asked = json!({ "messages": [{ "role": "system", "content": "use this *file listing*" }] });
    let (said, heard) = play_all("/v1/chat/completions", &asked);
    assert_has(&said[0], &["\"content\":\"a\\n```\\nnew\\n```\\n\"", "\"finish_reason\":\"stop\""]);
    assert_has(&said[1], &["Nothing."]);
    assert_eq!(heard.len(), 5);
    let (said, heard) =
        play_all("/v1/chat/completions", &json!({ "stream": true, "messages": [] }));
    assert_has(&said[4], &["\"content\":\"ok\"", "data: [DONE]"]);
    assert_eq!(heard.len(), 0, "no turn is used up");
}

#[test]
fn a_client_of_contents_is_answered_in_the_form_that_it_names() {
    let schema = json!({ "type": "OBJECT", "required": ["next"], "properties": { "next": { "enum": ["user"] } } });
    let body = json!({ "contents": [], "generationConfig": { "responseJsonSchema": schema } });
    let (said, _) = play_all("/v1beta/models/m:generateContent", &body);
    assert_has(&said[0], &["{\\\"next\\\":\\\"user\\\"}"]);
    let tool =
        json!({ "functionDeclarations": [{ "name": "run_shell_command", "parameters": {} }] });
    let (said, _) =
        play_all("/v1beta/models/m:streamGenerateContent?alt=sse", &json!({ "tools": [tool] }));
    assert_has(&said[0], &["data: {", "\"functionCall\":{\"name\":\"run_shell_command\""]);
}

#[test]
fn requests_may_follow_each_other_come_in_chunks_or_make_no_sense() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(folder.path());
    let chunked = "POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
                   7\r\n{\"messa\r\n7;x=y\r\nges\":[]\r\n1\r\n}\r\n0\r\n\r\n";
    let requests = format!("HEAD / HTTP/1.1\r\n\r\n{chunked}GET /v1/models HTTP/1.1\r\n\r\n");
    let reply = talk(&model, &requests);
    assert_eq!(reply.matches("HTTP/1.1 200 OK").count(), 3, "{reply}");
    assert_has(&reply, &["\"content\":\"ok\"", "\"id\":\"scripted\""]);
    for odd in ["", "\r\n\r\n", "POST", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n", "\u{0}"] {
        assert_eq!(talk(&model, odd), "", "{odd:?}");
    }
    assert_has(&talk(&model, &post("/v1/messages", &json!(7))), &["200 OK"]);
}
