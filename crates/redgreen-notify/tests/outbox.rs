//! What waits is tried again, later and later, and nothing is lost.

use std::sync::Mutex;

use redgreen_model::config::{Channel, NotifySettings};
use redgreen_model::escalation::{ESCALATION_FORMAT, EscalatedFailure, Escalation, FailureHistory};
use redgreen_model::workflow::LoopStatus;
use redgreen_notify::{Answered, Case, Message, Outbox, Standing, Surroundings, check_template};
use serde_json::Value;

use crate::server::{Answer, Server, answer};

pub fn escalation(session: &str, at: &str) -> Escalation {
    Escalation {
        format: ESCALATION_FORMAT.to_owned(),
        session: session.to_owned(),
        at: at.to_owned(),
        task: "make it work".to_owned(),
        status: LoopStatus::Escalated,
        reason: None,
        detail: String::new(),
        file_path: "src/a.py".to_owned(),
        attempt_count: 3,
        max_attempts: 3,
        failures: vec![EscalatedFailure {
            test: "test_a.py::test_one".to_owned(),
            error_type: "TypeError".to_owned(),
            message: "@everybody `look` at <this>".to_owned(),
            location: None,
        }],
        failures_left_out: 2,
        attempts: Vec::new(),
        failure_history: FailureHistory::default(),
        follow_up: "Look at test_a.py::test_one: TypeError".to_owned(),
        reproduce: vec!["pytest -q".to_owned()],
        report: ".redgreen/sessions/s/report.md".to_owned(),
    }
}

fn webhook(server: &Server) -> NotifySettings {
    let url = Some(format!("{}/secret-path", server.address));
    NotifySettings { url, ..NotifySettings::of(Channel::Webhook) }
}

fn nothing_set() -> Surroundings {
    Surroundings::new(|_| None)
}

#[test]
fn what_fails_is_tried_again_when_the_server_asks_for_it_and_is_the_same_delivery() {
    let script = Mutex::new(vec![
        answer(500, "sorry"),
        Answer { headers: vec![("retry-after", "30".to_owned())], ..answer(429, "slowly") },
        answer(0, ""),
        answer(204, ""),
    ]);
    let server = Server::new(move |_| script.lock().unwrap().remove(0));
    let folder = tempfile::tempdir().unwrap();
    let outbox = Outbox::at(folder.path().join("outbox"));
    outbox
        .put(Case::new(folder.path(), None, escalation("s-1", "now"), &[webhook(&server)]))
        .unwrap();
    let mut standings = Vec::new();
    for now in [100, 100, 101, 130, 131, 140, 141, 142] {
        // As a new process would, each time.
        let outbox = Outbox::at(folder.path().join("outbox"));
        let seen = outbox.deliver(now, false, &nothing_set()).unwrap();
        standings.extend(seen.into_iter().map(|it| (now, it.standing)));
    }
    let expected = [
        (100, Standing::Waiting),
        (101, Standing::Waiting),
        (131, Standing::Waiting),
        (141, Standing::Delivered),
    ];
    assert_eq!(standings, expected);
    let asked = server.asked();
    let ids: Vec<_> = asked.iter().map(|it| it.header("x-redgreen-delivery")).collect();
    assert!(ids[0].is_some() && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    let body: Value = serde_json::from_str(&asked[3].body).unwrap();
    assert_eq!(body["format"], ESCALATION_FORMAT);
    assert_eq!(body["failureHistory"]["attempts"], 0);
}

#[test]
fn nobody_tries_for_ever_and_the_address_is_not_shown() {
    let server = Server::new(|_| answer(503, "down"));
    let folder = tempfile::tempdir().unwrap();
    let outbox = Outbox::at(folder.path().join("outbox"));
    outbox
        .put(Case::new(folder.path(), None, escalation("s-1", "now"), &[webhook(&server)]))
        .unwrap();
    let mut tries = 0;
    while let Some(due) = outbox.next_due() {
        let seen = outbox.deliver(due, false, &nothing_set()).unwrap();
        assert!(!seen[0].remark.contains("secret-path"), "{seen:?}");
        tries += 1;
        assert!(tries < 100, "it has to end");
    }
    assert_eq!(outbox.cases()[0].deliveries[0].standing, Standing::Refused);
    assert!(tries > 3, "{tries}");
}

#[test]
fn slack_gets_blocks_and_a_missing_variable_is_named() {
    let server = Server::new(|_| answer(200, "ok"));
    let folder = tempfile::tempdir().unwrap();
    let outbox = Outbox::at(folder.path().join("outbox"));
    let slack = NotifySettings::of(Channel::Slack);
    outbox.put(Case::new(folder.path(), None, escalation("s-1", "now"), &[slack])).unwrap();
    let seen = outbox.deliver(1, false, &nothing_set()).unwrap();
    assert!(seen[0].remark.contains("REDGREEN_SLACK_WEBHOOK"), "{seen:?}");
    let url = format!("{}/services/T/B/x", server.address);
    let set =
        Surroundings::new(move |name| (name == "REDGREEN_SLACK_WEBHOOK").then(|| url.clone()));
    assert_eq!(outbox.deliver(2, true, &set).unwrap()[0].standing, Standing::Delivered);
    let body: Value = serde_json::from_str(&server.asked()[0].body).unwrap();
    let text = body["blocks"][1]["text"]["text"].as_str().unwrap();
    assert!(text.contains("&lt;this&gt;") && text.contains("Human review required"), "{text}");
}

#[test]
fn a_template_is_filled_in_and_a_broken_one_loses_nothing() {
    let escalation = escalation("s-1", "now");
    let template = "## Escalation\n**File**: {{file_path}}\n**Attempts**: {{attempt_count}} / {{max_attempts}}\n{{failure_summary}}\n{{root_cause_analysis}}\n{{fix_attempts}}";
    assert_eq!(check_template(template), Ok(()));
    let text = Message::new(&escalation, Some(template)).plain(10_000);
    assert!(
        text.contains("**File**: src/a.py\n**Attempts**: 3 / 3\n- `test_a.py::test_one`: "),
        "{text}"
    );
    assert!(text.contains("`TypeError: @everybody 'look' at <this>`\n- and 2 more"), "{text}");
    assert!(check_template("{{ oh").is_err());
    let text = Message::new(&escalation, Some("{{ oh")).plain(10_000);
    assert!(text.contains("not understood") && text.contains("test_one"), "{text}");
}

#[test]
fn what_a_person_answered_is_kept_and_a_foreign_file_is_no_case() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = Outbox::at(folder.path().join("outbox"));
    outbox.put(Case::new(folder.path(), None, escalation("s-1", "now"), &[])).unwrap();
    std::fs::write(folder.path().join("outbox/s-2.json"), "{").unwrap();
    let answered =
        Answered { at: "later".to_owned(), word: "accepted".to_owned(), by: String::new() };
    outbox.answer("s-1", answered.clone()).unwrap();
    let cases = outbox.cases();
    assert_eq!(
        (cases.len(), cases[0].answered.as_ref(), cases[0].is_open()),
        (1, Some(&answered), false)
    );
}

#[test]
fn who_writes_while_a_message_is_on_its_way_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("outbox");
    let outbox = Outbox::at(place.clone());
    // While the server has the first request, a person answers; with the second, the session ends anew.
    let asked = Mutex::new(0);
    let (place, project) = (place, folder.path().to_owned());
    let server = Server::new(move |_| {
        let outbox = Outbox::at(place.clone());
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        match *asked {
            1 => outbox
                .answer(
                    "s-1",
                    Answered { at: "now".to_owned(), word: "mine".to_owned(), by: String::new() },
                )
                .unwrap(),
            2 => outbox.put(Case::new(&project, None, escalation("s-2", "again"), &[])).unwrap(),
            _ => {}
        }
        answer(204, "")
    });
    for session in ["s-1", "s-2"] {
        let case = Case::new(folder.path(), None, escalation(session, "now"), &[webhook(&server)]);
        outbox.put(case).unwrap();
    }
    assert_eq!(outbox.deliver(1, false, &nothing_set()).unwrap().len(), 2);
    let [first, second] = &outbox.cases()[..] else { panic!("two cases") };
    assert_eq!(first.answered.as_ref().unwrap().word, "mine");
    assert_eq!(first.deliveries[0].standing, Standing::Delivered);
    assert_eq!((&*second.escalation.at, second.deliveries.len()), ("again", 0));
    assert_eq!(outbox.deliver(2, true, &nothing_set()).unwrap(), [], "nothing is sent twice");
}

#[test]
fn a_secret_may_be_in_the_keyring_and_a_variable_counts_before_it() {
    for (variable, wanted) in [(None, "/from-keyring"), (Some("/from-variable"), "/from-variable")]
    {
        let server = Server::new(|_| answer(200, "ok"));
        let folder = tempfile::tempdir().unwrap();
        let outbox = Outbox::at(folder.path().join("outbox"));
        let slack = NotifySettings::of(Channel::Slack);
        outbox.put(Case::new(folder.path(), None, escalation("s-1", "now"), &[slack])).unwrap();
        let kept = format!("{}/from-keyring", server.address);
        let set = variable.map(|path| format!("{}{path}", server.address));
        let of = |name: &str| name == "REDGREEN_SLACK_WEBHOOK";
        let surroundings = Surroundings::new(move |name| set.clone().filter(|_| of(name)))
            .with_keyring(move |name| of(name).then(|| kept.clone()));
        let seen = outbox.deliver(1, false, &surroundings).unwrap();
        assert_eq!(seen[0].standing, Standing::Delivered, "{seen:?}");
        assert_eq!(server.asked()[0].path, wanted);
    }
}
