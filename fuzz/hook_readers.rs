//! What agents tell hooks and what is in their settings, and what must hold for whatever it is.
//!
//! As in `readers.rs`, each has a fuzz target and a folder in `cases`; the tests of
//! `redgreen-agents` read those every time.

use redgreen_agents::AGENTS;
use redgreen_agents::contract::{EventKind, FirstValue, Payload, read_event};
use redgreen_agents::settings::Form;
use redgreen_agents::settings::entries::{
    Condition, Left, commands, condition, installed, uninstalled,
};

/// A reader by its name.
pub struct HookReader {
    /// The name of its fuzz target, and of its folder in `cases`.
    pub name: &'static str,
    /// Reads the bytes, and panics where something does not hold.
    pub hold: fn(&[u8]),
}

/// All of them.
pub const HOOK_READERS: &[HookReader] = &[
    HookReader { name: "hook_input", hold: input },
    HookReader { name: "hook_settings", hold: settings },
];

const PROGRAM: &str = "/opt/redgreen";

/// Reads the bytes by a reader's name.
pub fn hold(name: &str, bytes: &[u8]) {
    let reader = HOOK_READERS.iter().find(|reader| reader.name == name);
    (reader.expect("a reader of the table").hold)(bytes);
}

fn input(bytes: &[u8]) {
    let is_object =
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(bytes).is_ok();
    let mut first = FirstValue::default();
    assert!(!is_object || first.feed(bytes), "an object has an end");
    let by_byte = |value: &mut FirstValue| bytes.chunks(1).any(|byte| value.feed(byte));
    assert_eq!(FirstValue::default().feed(bytes), by_byte(&mut FirstValue::default()));
    for agent in AGENTS {
        for named in [None, Some(EventKind::Stop), Some(EventKind::SessionStart)] {
            let event = read_event(agent, named.clone(), bytes);
            assert_eq!(
                event,
                read_event(agent, named.clone(), bytes),
                "reading twice gives the same"
            );
            assert!(!is_object || event.unreadable.is_none());
            let session = event.session.unwrap_or_default();
            assert!(session.chars().count() <= 500 && !session.contains(char::is_control));
            let says_nothing = Payload::read(bytes).text(&["hook_event_name"]).is_none();
            if says_nothing && named.is_none() {
                let stopped = matches!(event.kind, EventKind::Stop | EventKind::Other(_));
                assert!(stopped, "what cannot be understood is a stop: {:?}", event.kind);
            }
        }
    }
}

fn settings(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for agent in AGENTS {
        let Some(Form::Entries(form)) = agent.settings.map(|settings| &settings.form) else {
            continue;
        };
        let name = agent.name;
        let before = commands(text, name, form);
        let Ok(with) = installed(Some(text), name, form, PROGRAM) else { continue };
        assert_eq!(condition(&with, name, form, PROGRAM), Ok(Condition::Current), "{name}: {with}");
        assert_eq!(
            installed(Some(&with), name, form, PROGRAM).as_ref(),
            Ok(&with),
            "{name}: twice"
        );
        if before.is_ok_and(|commands| commands.is_empty()) {
            assert_eq!(uninstalled(&with, name, form), Ok(Left::Text(text.to_owned())), "{name}");
        }
    }
}
