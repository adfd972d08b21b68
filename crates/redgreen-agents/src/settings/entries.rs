//! redgreen's entries among those of others. From text to text, without IO.

use serde_json::{Map, Value, json};

use super::json::{Kind, Node, Wrong, append, cut, parse, replace, whole};
use super::{ENTRY_NAME, Entries, SHARED_PROGRAM, command};

/// What makes a command redgreen's: this, followed by the agent's name.
pub(super) const MARK: &str = " gate --hook ";
/// The names under which entries have their commands.
const COMMAND_NAMES: [&str; 2] = ["command", "bash"];

/// What redgreen's entries in a document are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// There are none.
    Absent,
    /// They are as this redgreen writes them.
    Current,
    /// They are as some redgreen wrote them: for another program, or with hooks missing.
    Outdated,
    /// Somebody changed them.
    Changed,
}

/// What is left of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// It had nothing of redgreen's.
    Same,
    /// This.
    Text(String),
    /// Nothing: it was redgreen's from the beginning.
    Nothing,
}

/// A place in a document that holds an entry of redgreen's.
#[derive(Clone)]
struct Found {
    event: String,
    /// From the outermost container to the entry: each with the position of the next in it.
    way: Vec<(Node, usize)>,
    value: Value,
    command: String,
    /// Whether nothing else is in it.
    alone: bool,
}

/// The document with the entries of an agent, for a program.
pub fn installed(
    text: Option<&str>,
    agent: &str,
    form: &Entries,
    program: &str,
) -> Result<String, Wrong> {
    let Some(text) = text else { return Ok(new_document(agent, form, program)) };
    let mut text = text.to_owned();
    check(&text, form)?;
    while let Some(stale) = stale(&find(&text, agent, form)?, form) {
        text = removed(&text, form, stale)?;
    }
    for hook in form.hooks {
        let wanted = (form.entry)(hook, &command(program, agent, &hook.kind));
        let found = find(&text, agent, form)?;
        let there = found.into_iter().find(|found| found.event == hook.event);
        text = match there {
            Some(found) if found.value == wanted => continue,
            Some(found) if found.alone => in_place(&text, form, &found, &wanted)?,
            Some(found) => {
                let text = removed(&text, form, found)?;
                inserted(&text, form, hook.event, &wanted)?
            }
            None => inserted(&text, form, hook.event, &wanted)?,
        };
    }
    Ok(text)
}

/// The document without the entries of an agent.
pub fn uninstalled(text: &str, agent: &str, form: &Entries) -> Result<Left, Wrong> {
    let found = find(text, agent, form)?;
    if found.is_empty() {
        return Ok(Left::Same);
    }
    if whole(&document(found.iter().map(|found| (found.event.as_str(), &found.value)), form))
        == text
    {
        return Ok(Left::Nothing);
    }
    let mut text = text.to_owned();
    while let Some(last) = last_installed(find(&text, agent, form)?, form) {
        text = removed(&text, form, last)?;
    }
    Ok(Left::Text(text))
}

/// What the entries of an agent are, compared with those for a program.
pub fn condition(
    text: &str,
    agent: &str,
    form: &Entries,
    program: &str,
) -> Result<Condition, Wrong> {
    let found = find(text, agent, form)?;
    if found.is_empty() {
        return Ok(Condition::Absent);
    }
    let mut outdated = found.len() != form.hooks.len();
    for found in &found {
        let hook = form.hooks.iter().find(|hook| hook.event == found.event);
        let Some(hook) = hook else { return Ok(Condition::Changed) };
        let wanted = (form.entry)(hook, &command(program, agent, &hook.kind));
        if found.value == wanted {
            continue;
        }
        let end = command("", agent, &hook.kind);
        let other = found.command.strip_suffix(end.trim_start_matches('"'));
        let is_of_redgreen = other.is_some_and(is_one_quoted_word)
            || found.command == command(SHARED_PROGRAM, agent, &hook.kind);
        if !is_of_redgreen || found.value != (form.entry)(hook, &found.command) {
            return Ok(Condition::Changed);
        }
        outdated = true;
    }
    Ok(if outdated { Condition::Outdated } else { Condition::Current })
}

/// The commands of an agent's entries, each with its event.
pub fn commands(text: &str, agent: &str, form: &Entries) -> Result<Vec<(String, String)>, Wrong> {
    let found = find(text, agent, form)?;
    Ok(found.into_iter().map(|found| (found.event, found.command)).collect())
}

/// The entries that call redgreen for an agent, each with its event. What they have in them of others is
/// left out.
pub fn own(text: &str, agent: &str, form: &Entries) -> Result<Vec<(String, Value)>, Wrong> {
    let root = parse(text, form.comments)?;
    let mut all = Vec::new();
    for event in root.get("hooks").map(Node::items).unwrap_or_default() {
        let own = own_part(value_of(text, &event.value), agent);
        let entries = own.as_array().into_iter().flatten().cloned();
        all.extend(entries.map(|entry| (event.name.clone().unwrap_or_default(), entry)));
    }
    Ok(all)
}

/// A value without those items of its lists that do not call redgreen.
fn own_part(value: Value, agent: &str) -> Value {
    match value {
        Value::Array(items) => {
            let own = items.into_iter().filter(|item| calls_redgreen(item, agent));
            Value::Array(own.map(|item| own_part(item, agent)).collect())
        }
        Value::Object(names) => {
            let own = names.into_iter().map(|(name, value)| (name, own_part(value, agent)));
            Value::Object(own.collect())
        }
        other => other,
    }
}

/// Whether a command in it is redgreen's, or somebody's own that names redgreen.
fn calls_redgreen(value: &Value, agent: &str) -> bool {
    let is_it = |command: &str| is_own(command, agent) || command.contains(ENTRY_NAME);
    match value {
        Value::Array(items) => items.iter().any(|item| calls_redgreen(item, agent)),
        Value::Object(names) => names.iter().any(|(name, value)| match value.as_str() {
            Some(command) => COMMAND_NAMES.contains(&name.as_str()) && is_it(command),
            None => calls_redgreen(value, agent),
        }),
        _ => false,
    }
}

/// Whether it is `"…"` with nothing in it that ends or leaves the quotes.
fn is_one_quoted_word(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return false;
    };
    let mut escaped = false;
    for character in inner.chars() {
        escaped = match character {
            '"' | '$' | '`' if !escaped => return false,
            '\\' => !escaped,
            _ => false,
        };
    }
    !escaped
}

fn new_document(agent: &str, form: &Entries, program: &str) -> String {
    let entries: Vec<(&str, Value)> = form
        .hooks
        .iter()
        .map(|hook| (hook.event, (form.entry)(hook, &command(program, agent, &hook.kind))))
        .collect();
    whole(&document(entries.iter().map(|(event, entry)| (*event, entry)), form))
}

/// The version comes last: in a document that had only that, the hooks do.
fn document<'a>(entries: impl Iterator<Item = (&'a str, &'a Value)>, form: &Entries) -> Value {
    let mut hooks = Map::new();
    for (event, entry) in entries {
        hooks.insert(event.to_owned(), json!([entry]));
    }
    let mut document = json!({"hooks": hooks});
    if let Some((name, number)) = form.version {
        document[name] = json!(number);
    }
    document
}

/// Whether entries can be put into the document.
fn check(text: &str, form: &Entries) -> Result<(), Wrong> {
    let root = parse(text, form.comments)?;
    if !root.is_object(text) {
        return Err(Wrong::at(text, root.start, "an object was expected"));
    }
    if let Some((name, number)) = form.version.filter(|_| form.versioned)
        && root.get(name).is_none()
    {
        let missing = format!("there is no `\"{name}\": {number}`");
        return Err(Wrong::at(text, root.start, missing));
    }
    let Some(hooks) = root.get("hooks") else { return Ok(()) };
    if !hooks.is_object(text) {
        return Err(Wrong::at(text, hooks.start, "`hooks` is not an object"));
    }
    for hook in form.hooks {
        if let Some(list) = hooks.get(hook.event)
            && !list.is_list(text)
        {
            return Err(Wrong::at(text, list.start, format!("`{}` is not a list", hook.event)));
        }
    }
    Ok(())
}

fn find(text: &str, agent: &str, form: &Entries) -> Result<Vec<Found>, Wrong> {
    let root = parse(text, form.comments)?;
    let mut all = Vec::new();
    let Some(at_root) = root.position("hooks") else { return Ok(all) };
    let hooks = &root.items()[at_root].value;
    for (at_hooks, event) in hooks.items().iter().enumerate() {
        for (at_event, entry) in event.value.items().iter().enumerate() {
            let mut commands = Vec::new();
            gather(&entry.value, &mut commands);
            let is_own = |command: &&str| is_own(command, agent);
            let Some(command) = commands.iter().copied().find(is_own) else { continue };
            let mut way = vec![
                (root.clone(), at_root),
                (hooks.clone(), at_hooks),
                (event.value.clone(), at_event),
            ];
            let alone = commands.iter().all(is_own);
            if !alone {
                lead_in(&entry.value, agent, &mut way);
            }
            let (container, index) = &way[way.len() - 1];
            all.push(Found {
                event: event.name.clone().unwrap_or_default(),
                value: value_of(text, &container.items()[*index].value),
                command: command.to_owned(),
                alone,
                way,
            });
        }
    }
    Ok(all)
}

/// Every command in an entry, however deep.
fn gather<'node>(node: &'node Node, commands: &mut Vec<&'node str>) {
    for item in node.items() {
        match (&item.name, item.value.text()) {
            (Some(name), Some(text)) if COMMAND_NAMES.contains(&name.as_str()) => {
                commands.push(text);
            }
            _ => gather(&item.value, commands),
        }
    }
}

/// Goes on to the innermost thing that holds nothing but redgreen's command.
fn lead_in(node: &Node, agent: &str, way: &mut Vec<(Node, usize)>) {
    for (index, item) in node.items().iter().enumerate() {
        let mut commands = Vec::new();
        gather(&item.value, &mut commands);
        if commands.iter().any(|command| is_own(command, agent)) {
            way.push((node.clone(), index));
            if !commands.iter().all(|command| is_own(command, agent)) {
                lead_in(&item.value, agent, way);
            }
            return;
        }
    }
}

/// Whether a command is redgreen's gate for an agent, whatever else is in it.
pub(crate) fn is_own(command: &str, agent: &str) -> bool {
    command.match_indices(MARK).any(|(position, mark)| {
        let rest = &command[position + mark.len()..];
        let name = rest.split(|character: char| !character.is_ascii_alphanumeric()).next();
        name == Some(agent)
    })
}

/// An entry that no hook of today is for.
fn stale(found: &[Found], form: &Entries) -> Option<Found> {
    let index = (0..found.len()).rev().find(|index| {
        let event = &found[*index].event;
        let is_wanted = form.hooks.iter().any(|hook| hook.event == event);
        !is_wanted || found[..*index].iter().any(|other| other.event == *event)
    })?;
    Some(found[index].clone())
}

/// What was put there last is taken away first.
fn last_installed(found: Vec<Found>, form: &Entries) -> Option<Found> {
    let order = |found: &Found| form.hooks.iter().position(|hook| hook.event == found.event);
    found.into_iter().max_by_key(|found| order(found).map_or(usize::MAX, |position| position))
}

fn in_place(text: &str, form: &Entries, found: &Found, value: &Value) -> Result<String, Wrong> {
    let root = parse(text, form.comments)?;
    let (container, index) = &found.way[found.way.len() - 1];
    Ok(replace(text, &root, &container.items()[*index], value))
}

/// Puts an entry at the end of its event's list, with what is missing around it.
fn inserted(text: &str, form: &Entries, event: &str, entry: &Value) -> Result<String, Wrong> {
    let root = parse(text, form.comments)?;
    let Some(hooks) = root.get("hooks") else {
        let mut value = json!({});
        value[event] = json!([entry]);
        return Ok(append(text, &root, &root, Some("hooks"), &value));
    };
    Ok(match hooks.get(event) {
        Some(list) => append(text, &root, list, None, entry),
        None => append(text, &root, hooks, Some(event), &json!([entry])),
    })
}

/// Takes an entry away, with the list and the object around it if they came with it.
fn removed(text: &str, form: &Entries, found: Found) -> Result<String, Wrong> {
    take_out(text, &found.way, |without| inserted(without, form, &found.event, &found.value))
}

/// Takes away what a way leads to. A container that is left empty goes too, if putting the thing in
/// again makes the container again, and if nobody can tell what was there before; never the root.
pub(super) fn take_out(
    text: &str,
    way: &[(Node, usize)],
    again: impl Fn(&str) -> Result<String, Wrong>,
) -> Result<String, Wrong> {
    let single = way.iter().rev().take_while(|(container, _)| container.items().len() == 1);
    let first = way.len().saturating_sub(1 + single.count());
    let candidates: Vec<String> =
        way[first..].iter().map(|(container, index)| cut(text, container, *index)).collect();
    for candidate in &candidates {
        if again(candidate)? == text {
            return Ok(candidate.clone());
        }
    }
    Ok(candidates.into_iter().next().unwrap_or_else(|| text.to_owned()))
}

/// A value without its place; comments in it are lost.
pub(super) fn value_of(text: &str, node: &Node) -> Value {
    match &node.kind {
        Kind::Text(text) => Value::from(text.as_str()),
        Kind::Other => serde_json::from_str(&text[node.start..node.end]).unwrap_or(Value::Null),
        Kind::Container(items) if node.is_object(text) => {
            let named =
                |item: &super::json::Item| Some((item.name.clone()?, value_of(text, &item.value)));
            Value::Object(items.iter().filter_map(named).collect())
        }
        Kind::Container(items) => {
            Value::Array(items.iter().map(|item| value_of(text, &item.value)).collect())
        }
    }
}
