use proptest::prelude::*;
use serde_json::Value;

use super::entries::{Condition, Left, condition, installed, uninstalled};
use super::json::{Comments, parse};
use super::*;
use crate::agent::{AGENTS, Agent};

const PROGRAM: &str = "/opt/red green/bin/redgreen";

fn with_entries() -> impl Iterator<Item = (&'static Agent, &'static Entries)> {
    AGENTS.iter().filter_map(|agent| match &agent.settings?.form {
        Form::Entries(form) => Some((*agent, form)),
        Form::Plugin(_) => None,
    })
}

/// The value without what JSON does not have.
fn value(text: &str) -> Value {
    let mut plain = String::new();
    let root = parse(text, Comments::Allowed).expect("it is JSON");
    write_plain(text, &root, &mut plain);
    serde_json::from_str(&plain).expect("it is JSON")
}

fn write_plain(text: &str, node: &json::Node, plain: &mut String) {
    if !matches!(node.kind, json::Kind::Container(_)) {
        plain.push_str(&text[node.start..node.end]);
        return;
    }
    plain.push_str(&text[node.start..=node.start]);
    for (index, item) in node.items().iter().enumerate() {
        plain.push_str(if index > 0 { "," } else { "" });
        if let Some(name) = &item.name {
            plain.push_str(&Value::from(name.as_str()).to_string());
            plain.push(':');
        }
        write_plain(text, &item.value, plain);
    }
    plain.push_str(&text[node.end - 1..node.end]);
}

/// Settings as people and programs write them; `START`, `STOP` and `MORE` stand for the agent's events in the order
/// of its hooks, and `VERSION` for a version where it needs one.
const NASTY: &[&str] = &[
    "{VERSION}",
    "{VERSION}\n",
    "{ VERSION }",
    "{\n  VERSION\n}\n",
    "{\nVERSION\n}",
    "{VERSION\n\n}",
    "\u{feff}{\n\tVERSION\n}\n",
    "{\r\n  VERSION\r\n}\r\n",
    "\n\n  {VERSION, \"a\": 1}\n\n",
    "{\"a\":1,VERSION}",
    "{\"a\":{\"b\":[1,2,{}]},\"ü\":\"\\u00e4\\ud83d\\ude00\",VERSION}",
    "{\n    \"a\": 1.50e+3,\n    VERSION\n}",
    "{\n\t\"a\": [\n\t\t1\n\t],\n\tVERSION\n}\n",
    "{\"hooks\":{},VERSION}",
    // What is there and empty looks like what would be made, but for the blank that fills it.
    "{\"a\": 1, VERSION, \"hooks\": {}}",
    "{\"a\": 1, VERSION, \"hooks\": {\"STOP\": []}}",
    "{\"a\": 1, VERSION, \"hooks\": {\"START\": [], \"STOP\": []}}",
    "{\"hooks\": { },\n VERSION}\n",
    "{\n  \"hooks\": {\n  },\n  VERSION\n}\n",
    "{\n  VERSION,\n  \"hooks\": {}\n}\n",
    "{\"hooks\":{\"STOP\":[]},VERSION}",
    "{\"hooks\":{\"STOP\":[],\"START\":[]},VERSION}",
    "{\n  VERSION,\n  \"hooks\": {\n    \"START\": [\n    ],\n    \"STOP\": [ ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"Other\": [{\"command\": \"x\"}]\n  },\n  VERSION\n}",
    "{\"hooks\":{\"STOP\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]},VERSION}",
    "{\n  VERSION,\n  \"hooks\": {\n    \"STOP\": [\n      {\n        \"command\": \"a\"\n      },\n      {\n        \"command\": \"b\"\n      }\n    ]\n  }\n}\n",
    "{\n  VERSION,\n  \"hooks\": {\n    \"STOP\": [{\n      \"command\": \"a\"\n    }]\n  }\n}\n",
    "{\n  VERSION,\n  \"hooks\": {\n    \"STOP\": [\n      { \"command\": \"a\" }, { \"command\": \"b\" }\n    ],\n    \"START\": [5, null]\n  },\n  \"z\": true\n}\n",
    "{\"hooks\": {\"STOP\": [\"gate --hook\", {\"command\": \"redgreen gate --hook other\"}]}, VERSION}",
    "{\"a\": 1, VERSION, \"hooks\": {\"MORE\": []}}",
    "{\"a\": 1, VERSION, \"hooks\": {\"MORE\": [], \"START\": [], \"STOP\": []}}",
    "{\n  VERSION,\n  \"hooks\": {\n    \"MORE\": [\n      { \"command\": \"a\" }\n    ],\n    \"STOP\": [\n      { \"command\": \"b\" }\n    ]\n  }\n}\n",
    "{\"hooks\": {\"STOP\": [1]}, \"hooks\": {\"START\": [2]}, VERSION}",
    "{\n  VERSION,\n  \"hooks\": {\n    \"Else\": {\"command\": \"x\"}\n  }\n}",
];

const NASTY_WITH_COMMENTS: &[&str] = &[
    "// mine\n{\n  // nothing yet\n  VERSION\n}\n// end",
    "{ /* } */ VERSION }",
    "{\n  VERSION, // the form\n  \"hooks\": { // all of them\n    \"STOP\": [ // one\n      {\"command\": \"a\"} // two\n      // three\n    ] /* four */\n  }\n  // five\n}\n",
    "{\n  VERSION,\n  \"hooks\": { /* none */ }\n}\n",
    "{\n  VERSION,\n  \"hooks\": {\n    \"STOP\": [\n      // none\n    ]\n  }\n}\n",
];

fn for_agent(text: &str, form: &Entries) -> String {
    let [start, stop, more @ ..] = form.hooks else { panic!("two hooks at least") };
    let version = if form.versioned { "\"version\": 1" } else { "" };
    // An agent without a third event has another that is none of redgreen's.
    let more = more.first().map_or("Third", |hook| hook.event);
    let mut text = text.replace("STOP", stop.event).replace("START", start.event);
    text = text.replace("MORE", more);
    if version.is_empty() {
        for gone in ["VERSION, ", "VERSION,", ", VERSION", ",VERSION", ",\n VERSION"] {
            text = text.replace(gone, "");
        }
        text = text.replace(",\n  VERSION", "").replace(",\n    VERSION", "");
        text = text.replace(",\n\tVERSION", "");
    }
    text.replace("VERSION", version)
}

fn nasty(form: &Entries) -> Vec<String> {
    let more = match form.comments {
        Comments::Allowed => NASTY_WITH_COMMENTS,
        Comments::Refused => &[],
    };
    NASTY.iter().chain(more).map(|text| for_agent(text, form)).collect()
}

fn round_trip(agent: &Agent, form: &Entries, text: &str) {
    let name = agent.name;
    let with = installed(Some(text), name, form, PROGRAM).expect(text);
    assert_eq!(condition(&with, name, form, PROGRAM), Ok(Condition::Current), "{name}: {with}");
    assert_eq!(installed(Some(&with), name, form, PROGRAM).as_ref(), Ok(&with), "{name}: twice");
    assert_eq!(uninstalled(&with, name, form), Ok(Left::Text(text.to_owned())), "{name}: {with}");
    assert_eq!(uninstalled(text, name, form), Ok(Left::Same));

    // With another program it is outdated, is brought up to date in its place, and goes the same way.
    let elsewhere = installed(Some(text), name, form, "/old/\"$x\\`/redgreen").expect(text);
    assert_eq!(condition(&elsewhere, name, form, PROGRAM), Ok(Condition::Outdated));
    assert_eq!(installed(Some(&elsewhere), name, form, PROGRAM).as_ref(), Ok(&with));
    assert_eq!(uninstalled(&elsewhere, name, form), Ok(Left::Text(text.to_owned())));
    only_ours_is_new(form, &value(text), &value(&with));
}

/// Everything that was there is there, in its order; behind it comes what is redgreen's.
fn only_ours_is_new(form: &Entries, before: &Value, after: &Value) {
    for (key, old) in
        before.as_object().expect("an object").iter().filter(|(key, _)| *key != "hooks")
    {
        assert_eq!(&after[key], old);
    }
    let none = serde_json::Map::new();
    let old_hooks = before["hooks"].as_object().unwrap_or(&none);
    for (event, old) in old_hooks {
        let new = &after["hooks"][event];
        if form.hooks.iter().any(|hook| hook.event == event) {
            let (old, new) = (old.as_array().expect("a list"), new.as_array().expect("a list"));
            assert_eq!(&new[..old.len()], old.as_slice());
            assert_eq!(new.len(), old.len() + 1);
        } else {
            assert_eq!(new, old);
        }
    }
}

#[test]
fn settings_are_put_back_byte_for_byte() {
    let mut count = 0;
    for (agent, form) in with_entries() {
        for text in nasty(form) {
            round_trip(agent, form, &text);
            count += 1;
        }
    }
    assert!(count > 170, "{count} documents");
}

#[test]
fn a_new_file_is_nothing_again() {
    for (agent, form) in with_entries() {
        let text = installed(None, agent.name, form, PROGRAM).expect("a new one");
        assert_eq!(condition(&text, agent.name, form, PROGRAM), Ok(Condition::Current));
        assert_eq!(installed(Some(&text), agent.name, form, PROGRAM).as_ref(), Ok(&text));
        assert_eq!(uninstalled(&text, agent.name, form), Ok(Left::Nothing), "{}", agent.name);
        let elsewhere = installed(None, agent.name, form, "/old/redgreen").expect("a new one");
        assert_eq!(installed(Some(&elsewhere), agent.name, form, PROGRAM).as_ref(), Ok(&text));
    }
}

#[test]
fn what_somebody_made_of_it_is_seen_mended_and_removed() {
    let (agent, form) = with_entries().next().expect("Claude Code is first");
    let name = agent.name;
    let text = installed(Some("{\n  \"a\": 1\n}\n"), name, form, PROGRAM).expect("installs");
    for (from, to) in [
        ("--event stop", "--event stop || true"),
        ("\"\\\"/opt", "\"true; \\\"/opt"),
        ("\"timeout\": 600", "\"timeout\": 1"),
        ("\"timeout\": 600", "\"timeout\": 600, \"async\": true"),
        ("\"hooks\": [", "\"matcher\": \"x\", \"hooks\": ["),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert_eq!(condition(&changed, name, form, PROGRAM), Ok(Condition::Changed), "{to}");
        let mended = installed(Some(&changed), name, form, PROGRAM).expect("installs");
        assert_eq!(condition(&mended, name, form, PROGRAM), Ok(Condition::Current));
        assert_eq!(mended, text);
        let left = uninstalled(&changed, name, form).expect("uninstalls");
        assert_eq!(left, Left::Text("{\n  \"a\": 1\n}\n".into()));
    }
}

#[test]
fn entries_in_one_group_with_others_or_twice_or_elsewhere_are_put_right() {
    let (agent, form) = with_entries().next().expect("Claude Code is first");
    let ours =
        |event: &str| format!("{{\"command\": \"\\\"x\\\" gate --hook claude --event {event}\"}}");
    let mixed = format!(
        "{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{{\"command\": \"a\"}}, {}, {{\"command\": \"b\"}}]}}]}}}}",
        ours("stop")
    );
    assert_eq!(condition(&mixed, agent.name, form, PROGRAM), Ok(Condition::Changed));
    let without =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\"}, {\"command\": \"b\"}]}]}}";
    assert_eq!(uninstalled(&mixed, agent.name, form), Ok(Left::Text(without.into())));
    round_trip(agent, form, without);
    let mended = installed(Some(&mixed), agent.name, form, PROGRAM).expect("installs");
    assert_eq!(uninstalled(&mended, agent.name, form), Ok(Left::Text(without.into())));

    let twice = format!("{{\"hooks\": {{\"Stop\": [{0}, {0}], \"Old\": [{0}]}}}}", ours("stop"));
    let mended = installed(Some(&twice), agent.name, form, PROGRAM).expect("installs");
    assert_eq!(condition(&mended, agent.name, form, PROGRAM), Ok(Condition::Current));
    assert_eq!(mended.matches("gate --hook claude").count(), form.hooks.len(), "{mended}");
}

#[test]
fn documents_that_cannot_hold_entries_are_refused() {
    for (agent, form) in with_entries() {
        let no_list = |hook: &Hook| format!("{{\"hooks\": {{\"{}\": {{}}}}}}", hook.event);
        let no_lists: Vec<String> = form.hooks.iter().map(no_list).collect();
        let texts = ["", "[]", "{\"hooks\": []}", "{\"hooks\": {}", "{version: 1}"];
        for text in texts.into_iter().chain(no_lists.iter().map(String::as_str)) {
            let text = text.replacen("{\"hooks\"", "{\"version\": 1, \"hooks\"", 1);
            assert!(installed(Some(&text), agent.name, form, PROGRAM).is_err(), "{text}");
        }
        let empty = installed(Some("{}"), agent.name, form, PROGRAM);
        assert_eq!(empty.is_err(), form.versioned, "{}", agent.name);
    }
}

/// Text of a value in one of many styles.
#[derive(Clone, Debug)]
struct Style {
    line: &'static str,
    indent: &'static str,
    /// How blanks, line breaks and comments fall, one digit for each place.
    blanks: Vec<u8>,
    comments: bool,
}

struct Writer<'style> {
    style: &'style Style,
    place: usize,
    text: String,
}

impl Writer<'_> {
    fn blank(&mut self, depth: usize) {
        let blanks = &self.style.blanks;
        let choice = blanks.get(self.place % blanks.len().max(1)).copied().unwrap_or(0);
        self.place += 1;
        let indent = self.style.indent.repeat(depth);
        let line = self.style.line;
        match choice {
            0 | 1 => {}
            2 => self.text.push(' '),
            3..=6 => self.text.push_str(&format!("{line}{indent}")),
            7 if self.style.comments => self.text.push_str(" /* \"} ] */ "),
            8 if self.style.comments => self.text.push_str(&format!(" // {{ [{line}{indent}")),
            _ => self.text.push('\t'),
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(members) => {
                self.text.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    self.text.push_str(if index > 0 { "," } else { "" });
                    self.blank(depth + 1);
                    self.text.push_str(&Value::from(name.as_str()).to_string());
                    self.blank(0);
                    self.text.push(':');
                    self.blank(0);
                    self.value(value, depth + 1);
                    self.blank(depth);
                }
                self.blank(depth);
                self.text.push('}');
            }
            Value::Array(values) => {
                self.text.push('[');
                for (index, value) in values.iter().enumerate() {
                    self.text.push_str(if index > 0 { "," } else { "" });
                    self.blank(depth + 1);
                    self.value(value, depth + 1);
                    self.blank(depth);
                }
                self.blank(depth);
                self.text.push(']');
            }
            plain => self.text.push_str(&plain.to_string()),
        }
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z\"\\\\/ \u{e4}{}\\[\\],:]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_list() -> impl Strategy<Value = Value> {
    prop::collection::vec(any_value(), 0..3).prop_map(Value::from)
}

fn any_style() -> impl Strategy<Value = Style> {
    (
        prop_oneof![Just("\n"), Just("\r\n")],
        prop_oneof![Just("  "), Just("    "), Just("\t"), Just("")],
        prop::collection::vec(0u8..10, 1..12),
        any::<bool>(),
    )
        .prop_map(|(line, indent, blanks, comments)| Style { line, indent, blanks, comments })
}

proptest! {
    #[test]
    fn any_settings_are_put_back_byte_for_byte(
        which in 0usize..6,
        members in prop::collection::btree_map("[a-z]{1,4}", any_value(), 0..3),
        lists in prop::option::of((
            prop::collection::vec(prop::option::of(any_list()), 3),
            prop::option::of(any_value()),
        )),
        hooks_first in any::<bool>(),
        mut style in any_style(),
    ) {
        let (agent, form) = with_entries().nth(which).expect("six of them");
        style.comments &= form.comments == Comments::Allowed;
        let mut document = serde_json::Map::new();
        let hooks = lists.map(|(lists, other)| {
            let mut named: Vec<_> =
                form.hooks.iter().map(|hook| hook.event).zip(lists).rev().collect();
            named.insert(1, ("Other", other));
            let hooks = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
            Value::Object(hooks.collect())
        });
        if let (true, Some(hooks)) = (hooks_first, &hooks) {
            document.insert("hooks".into(), hooks.clone());
        }
        document.extend(members);
        if form.versioned {
            document.insert("version".into(), Value::from(1));
        }
        if let (false, Some(hooks)) = (hooks_first, hooks) {
            document.insert("hooks".into(), hooks);
        }
        let mut writer = Writer { style: &style, place: 0, text: String::new() };
        writer.value(&Value::Object(document), 0);
        writer.text.push_str(style.line);
        round_trip(agent, form, &writer.text);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ \\n{}\\[\\]\",:/*a-f0-9\\\\\u{e4}]{0,60}") {
        for (agent, form) in with_entries() {
            let _ = installed(Some(&text), agent.name, form, PROGRAM);
            let _ = uninstalled(&text, agent.name, form);
            let _ = condition(&text, agent.name, form, PROGRAM);
        }
    }
}
