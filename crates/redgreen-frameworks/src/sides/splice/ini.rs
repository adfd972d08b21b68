//! The sections of an INI file, and the settings in them, as they are written.

use super::{Body, Group, Judges};

/// The sections of a text, by what a section is, and what a setting in it is.
pub(crate) fn read(text: &str, judges: fn(&str, Option<&str>) -> Judges) -> Group {
    let (sections, end) = sections(text);
    let pieces = sections.into_iter().filter(|(_, settings)| !settings.is_empty());
    let pieces = pieces.map(|(name, settings)| (name.clone(), section(&name, settings, judges)));
    Group::new(pieces.collect(), "\n").around("", end)
}

/// The sections with their settings, and what is behind the last.
fn sections(text: &str) -> (Vec<(String, Vec<Setting>)>, String) {
    let mut sections: Vec<(String, Vec<Setting>)> = vec![(String::new(), Vec::new())];
    let mut before = String::new();
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let settings = sections.last_mut().map(|(_, settings)| settings);
        let Some(settings) = settings else { break };
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            before.push_str(line);
        } else if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.split(']').next())
            && !line.starts_with([' ', '\t'])
        {
            let header = Setting { name: None, text: std::mem::take(&mut before) + line };
            sections.push((name.trim().to_owned(), vec![header]));
        } else if let Some(setting) = settings.last_mut()
            && setting.name.is_some()
            && line.starts_with([' ', '\t'])
        {
            // A comment between the lines of a value does not end it.
            setting.text.push_str(&std::mem::take(&mut before));
            setting.text.push_str(line);
        } else {
            let name = bare.split(['=', ':']).next().unwrap_or_default().trim();
            let name = Some(name.to_ascii_lowercase());
            settings.push(Setting { name, text: std::mem::take(&mut before) + line });
        }
    }
    (sections, before)
}

/// A setting; the header of a section has no name.
struct Setting {
    name: Option<String>,
    text: String,
}

fn section(name: &str, settings: Vec<Setting>, judges: fn(&str, Option<&str>) -> Judges) -> Body {
    let side = judges(name, None);
    if side != Judges::Partly {
        let text: String = settings.into_iter().map(|setting| setting.text).collect();
        let meaning = || meaning(&text);
        return Body::whole(side, text.clone(), meaning);
    }
    let mut open = String::new();
    let mut pieces = Vec::new();
    for Setting { name: key, text } in settings {
        match key {
            None => open.push_str(&text),
            Some(key) => {
                let body = Body::whole(judges(name, Some(&key)), text.clone(), || meaning(&text));
                pieces.push((key, body));
            }
        }
    }
    Body::Group(Group::new(pieces, "\n").around(open, ""))
}

/// The lines without comments, blanks and indentation.
fn meaning(text: &str) -> String {
    let lines = text.lines().map(str::trim);
    let said = lines.filter(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    said.flat_map(|line| [line, "\n"]).collect()
}

/// Whether a text has a section.
pub(crate) fn has_section(text: &str, section: &str) -> bool {
    setting_texts(text).any(|(name, _, _)| name == section)
}

/// The value of a setting, with all of its lines.
pub(crate) fn value(text: &str, section: &str, key: &str) -> Option<String> {
    let found = setting_texts(text)
        .find(|(name, setting, _)| name == section && setting.as_deref() == Some(key))?;
    let said = meaning(&found.2);
    let (_, value) = said.split_once(['=', ':'])?;
    Some(value.trim().to_owned())
}

/// Section, name and text of everything in a text; the header of a section has no name.
fn setting_texts(text: &str) -> impl Iterator<Item = (String, Option<String>, String)> {
    let (sections, _) = sections(text);
    sections.into_iter().flat_map(|(section, settings)| {
        settings
            .into_iter()
            .map(move |Setting { name, text }| (section.clone(), name, text))
            .collect::<Vec<_>>()
    })
}
