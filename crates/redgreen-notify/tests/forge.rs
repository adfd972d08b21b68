//! Comments at GitHub and GitLab: one for each session, whatever happens in between.

use std::sync::{Arc, Mutex};

use redgreen_model::config::{Channel, NotifySettings};
use redgreen_notify::{Case, Outbox, Standing, Surroundings};
use serde_json::{Value, json};

use crate::outbox::escalation;
use crate::server::{Answer, Asked, Server, answer};

/// A comment that somebody has removed.
const REMOVED: &str = "";

/// Comments as GitHub keeps them; asks for what it asks for.
pub fn github() -> Server {
    github_with(Arc::default())
}

/// The same with these comments.
fn github_with(comments: Arc<Mutex<Vec<String>>>) -> Server {
    Server::new(move |asked| {
        if asked.header("authorization") != Some("Bearer token-1") {
            return answer(401, r#"{"message":"Bad credentials"}"#);
        }
        let mut comments = comments.lock().unwrap();
        let body = || {
            serde_json::from_str::<Value>(&asked.body).unwrap()["body"].as_str().unwrap().to_owned()
        };
        match (&*asked.method, asked.path.split('?').next().unwrap()) {
            ("GET", "/repos/a/b/issues/12/comments") => {
                let page: usize = asked.path.rsplit_once("page=").unwrap().1.parse().unwrap();
                let listed =
                    comments.iter().enumerate().map(|(id, body)| json!({"id": id, "body": body}));
                answer(
                    200,
                    json!(listed.skip((page - 1) * 100).take(100).collect::<Vec<_>>()).to_string(),
                )
            }
            ("POST", "/repos/a/b/issues/12/comments") => {
                comments.push(body());
                answer(201, json!({"id": comments.len() - 1}).to_string())
            }
            ("PATCH", path) => {
                let id: usize = path.rsplit_once('/').unwrap().1.parse().unwrap();
                if comments[id] == REMOVED {
                    return answer(404, r#"{"message":"Not Found"}"#);
                }
                comments[id] = body();
                answer(200, json!({"id": id}).to_string())
            }
            _ => answer(404, r#"{"message":"Not Found"}"#),
        }
    })
}

fn at_github(server: &Server) -> NotifySettings {
    NotifySettings {
        repository: Some("https://github.com/a/b".to_owned()),
        issue: Some(12),
        api: Some(server.address.clone()),
        ..NotifySettings::of(Channel::IssueComment)
    }
}

fn with_token() -> Surroundings {
    Surroundings::new(|name| (name == "REDGREEN_GITHUB_TOKEN").then(|| "token-1".to_owned()))
}

fn methods(server: &Server) -> Vec<String> {
    server.asked().into_iter().map(|asked| asked.method).collect()
}

#[test]
fn one_comment_is_written_and_written_over_when_the_session_ends_anew() {
    let (server, folder) = (github(), tempfile::tempdir().unwrap());
    let outbox = Outbox::at(folder.path().join("outbox"));
    let case = |at: &str| {
        let escalation = escalation("s-1", at);
        Case::new(folder.path(), None, escalation, &[at_github(&server)])
    };
    outbox.put(case("2026-01-01T00:00:00Z")).unwrap();
    let first = outbox.deliver(100, false, &with_token()).unwrap();
    assert_eq!((first[0].standing, &*first[0].remark), (Standing::Delivered, "a/b#12"));
    outbox.put(case("2026-01-01T00:00:00Z")).unwrap();
    assert_eq!(outbox.deliver(200, false, &with_token()).unwrap(), [], "it has arrived");
    outbox.put(case("2026-01-02T00:00:00Z")).unwrap();
    outbox.deliver(300, false, &with_token()).unwrap();
    assert_eq!(methods(&server), ["GET", "POST", "PATCH"]);
    let written = &server.asked()[1].body;
    assert!(written.contains("<!-- redgreen session s-1 -->"), "{written}");
}

#[test]
fn a_crash_after_the_comment_and_before_the_outbox_knows_leaves_one_comment() {
    let (server, folder) = (github(), tempfile::tempdir().unwrap());
    for outbox in ["one", "two"] {
        // The second outbox is the first as it was before the comment was written.
        let outbox = Outbox::at(folder.path().join(outbox));
        let case = Case::new(folder.path(), None, escalation("s-1", "now"), &[at_github(&server)]);
        outbox.put(case).unwrap();
        outbox.deliver(100, false, &with_token()).unwrap();
    }
    assert_eq!(methods(&server), ["GET", "POST", "GET", "PATCH"]);
}

#[test]
fn a_note_at_gitlab_is_found_again_too() {
    let notes: Mutex<Vec<String>> = Mutex::default();
    let answers = move |asked: &Asked| -> Answer {
        assert_eq!(asked.header("private-token"), Some("token-2"));
        let mut notes = notes.lock().unwrap();
        let body = || {
            serde_json::from_str::<Value>(&asked.body).unwrap()["body"].as_str().unwrap().to_owned()
        };
        match (&*asked.method, asked.path.split('?').next().unwrap()) {
            ("GET", "/api/v4/projects/g%2Fs%2Fb/merge_requests/7/notes") => {
                let listed =
                    notes.iter().enumerate().map(|(id, body)| json!({"id": id, "body": body}));
                answer(200, json!(listed.collect::<Vec<_>>()).to_string())
            }
            ("POST", "/api/v4/projects/g%2Fs%2Fb/merge_requests/7/notes") => {
                notes.push(body());
                answer(201, r#"{"id":0}"#)
            }
            ("PUT", "/api/v4/projects/g%2Fs%2Fb/merge_requests/7/notes/0") => {
                answer(200, r#"{"id":0}"#)
            }
            _ => answer(404, r#"{"message":"404 Not found"}"#),
        }
    };
    let (server, folder) = (Server::new(answers), tempfile::tempdir().unwrap());
    let settings = NotifySettings {
        repository: Some("git@gitlab.example.com:g/s/b.git".to_owned()),
        api: Some(format!("{}/api/v4", server.address)),
        ..NotifySettings::of(Channel::IssueComment)
    };
    for outbox in ["one", "two"] {
        let outbox = Outbox::at(folder.path().join(outbox));
        outbox
            .put(Case::new(
                folder.path(),
                None,
                escalation("s-1", "now"),
                std::slice::from_ref(&settings),
            ))
            .unwrap();
        let surroundings = Surroundings::new(|name| match name {
            "REDGREEN_GITLAB_TOKEN" => Some("token-2".to_owned()),
            "CI_MERGE_REQUEST_IID" => Some("7".to_owned()),
            _ => None,
        });
        let seen = outbox.deliver(100, false, &surroundings).unwrap();
        assert_eq!((seen[0].standing, &*seen[0].remark), (Standing::Delivered, "g/s/b!7"));
    }
    assert_eq!(methods(&server), ["GET", "POST", "GET", "PUT"]);
}

#[test]
fn a_wrong_token_is_said_and_not_tried_again_and_never_shown() {
    let (server, folder) = (github(), tempfile::tempdir().unwrap());
    let outbox = Outbox::at(folder.path().join("outbox"));
    outbox
        .put(Case::new(folder.path(), None, escalation("s-1", "now"), &[at_github(&server)]))
        .unwrap();
    let wrong = Surroundings::new(|name| (name == "GH_TOKEN").then(|| "very-wrong".to_owned()));
    let seen = outbox.deliver(100, false, &wrong).unwrap();
    assert_eq!(seen[0].standing, Standing::Refused);
    assert!(
        seen[0].remark.contains("401") && seen[0].remark.contains("Bad credentials"),
        "{seen:?}"
    );
    assert!(!seen[0].remark.contains("very-wrong"), "{seen:?}");
    assert_eq!(outbox.deliver(i64::MAX, false, &with_token()).unwrap(), []);
    let again = outbox.deliver(200, true, &with_token()).unwrap();
    assert_eq!(again[0].standing, Standing::Delivered, "a person asked for it");
}

#[test]
fn a_comment_that_somebody_removed_is_written_anew_and_one_far_down_is_found() {
    let comments: Arc<Mutex<Vec<String>>> = Arc::new(Mutex::new(vec!["me too".to_owned(); 250]));
    let (server, folder) = (github_with(Arc::clone(&comments)), tempfile::tempdir().unwrap());
    let end = |outbox: &Outbox, at: &str| {
        let case = Case::new(folder.path(), None, escalation("s-1", at), &[at_github(&server)]);
        outbox.put(case).unwrap();
        let seen = outbox.deliver(i64::MAX, false, &with_token()).unwrap();
        assert_eq!(seen[0].standing, Standing::Delivered, "{seen:?}");
    };
    end(&Outbox::at(folder.path().join("one")), "first");
    assert_eq!(methods(&server), ["GET", "GET", "GET", "POST"]);
    let forgetful = Outbox::at(folder.path().join("two"));
    end(&forgetful, "second");
    assert_eq!(methods(&server)[4..], ["GET", "GET", "GET", "PATCH"]);
    comments.lock().unwrap()[250] = REMOVED.to_owned();
    end(&forgetful, "third");
    assert_eq!(methods(&server)[8..], ["PATCH", "POST"]);
    assert!(comments.lock().unwrap()[251].contains("redgreen session s-1"));
}
