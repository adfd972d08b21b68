//! A checklist: `- [ ] task`, with what belongs to it further right.

use super::{Item, PlanError, PlanFile, command, kind, task};

/// What may stand before a task or one of its settings.
const BULLETS: [&str; 3] = ["- ", "* ", "+ "];

/// A line that says something, and where.
struct Line<'text> {
    number: usize,
    /// How far right it begins.
    indent: usize,
    text: &'text str,
}

/// An item in the making.
struct Open {
    line: usize,
    indent: usize,
    done: bool,
    text: Vec<String>,
    kind: Option<crate::workflow::CodeType>,
    accept: Vec<String>,
}

impl Open {
    fn closed(self) -> Result<Item, PlanError> {
        let Self { line, done, text, kind, accept, .. } = self;
        Ok(Item { task: task(&text.join("\n"), line)?, kind, accept, done, line })
    }

    /// Takes a line that belongs to it: a setting, or more of the task.
    fn take(&mut self, line: &Line<'_>) -> Result<(), PlanError> {
        let content = bullet(line.text).unwrap_or(line.text);
        if checkbox(content, line.number)?.is_some() {
            return Err(PlanError::new(
                line.number,
                "a checkbox inside of an item",
                "move it to the left to make it an item of its own, or write it without the box",
            ));
        }
        let setting = bullet(line.text).and_then(|content| content.split_once(':'));
        match setting.map(|(name, value)| (name.trim().to_ascii_lowercase(), value)) {
            Some((name, value)) if name == "kind" => {
                if self.kind.is_some() {
                    let advice = "keep one of them";
                    return Err(PlanError::new(line.number, "a second `kind`", advice));
                }
                self.kind = Some(kind(plain(value), line.number)?);
            }
            Some((name, value)) if ["accept", "acceptance"].contains(&name.as_str()) => {
                self.accept.push(command(plain(value), line.number)?);
            }
            _ => self.text.push(line.text.to_owned()),
        }
        Ok(())
    }
}

pub(super) fn read(text: &str) -> Result<PlanFile, PlanError> {
    let mut plan = PlanFile::default();
    let mut open: Option<Open> = None;
    let mut fence: Option<&str> = None;
    for (index, whole) in text.lines().enumerate() {
        let trimmed = whole.trim_start();
        let line = Line { number: index + 1, indent: whole.len() - trimmed.len(), text: trimmed };
        // What is in a block of code is text, whatever it looks like.
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = match fence {
                Some(begun) if begun == mark => None,
                None => Some(mark),
                other => other,
            };
            keep(&mut plan, open.as_mut(), whole, &line);
            continue;
        }
        if fence.is_some() {
            keep(&mut plan, open.as_mut(), whole, &line);
            continue;
        }
        let belongs = open.as_ref().is_some_and(|item| line.indent > item.indent);
        if let Some(item) = open.as_mut().filter(|_| belongs && !trimmed.is_empty()) {
            item.take(&line)?;
            continue;
        }
        let content = bullet(trimmed).unwrap_or_default();
        match checkbox(content, line.number)? {
            Some((done, rest)) => {
                plan.items.extend(open.take().map(Open::closed).transpose()?);
                let text = vec![rest.to_owned()];
                let (line, indent) = (line.number, line.indent);
                open = Some(Open { line, indent, done, text, kind: None, accept: Vec::new() });
            }
            None if trimmed.is_empty() => keep(&mut plan, open.as_mut(), whole, &line),
            // Headings and text between items end an item, and are for people.
            None => {
                plan.items.extend(open.take().map(Open::closed).transpose()?);
                keep(&mut plan, None, whole, &line);
            }
        }
    }
    plan.items.extend(open.take().map(Open::closed).transpose()?);
    plan.about = crate::text::clean_block(plan.about.trim().as_bytes(), usize::MAX);
    if plan.items.is_empty() {
        return Err(PlanError::new(
            1,
            "there is no item in the plan",
            "write each task as a line of a checklist: `- [ ] add a function that …`",
        ));
    }
    Ok(plan)
}

/// Text as it is: of the item that it belongs to, or before the first.
fn keep(plan: &mut PlanFile, open: Option<&mut Open>, whole: &str, line: &Line<'_>) {
    match open {
        Some(item) => item.text.push(line.text.to_owned()),
        None if plan.items.is_empty() => {
            plan.about.push_str(whole);
            plan.about.push('\n');
        }
        None => {}
    }
}

/// What follows on the bullet of a list.
fn bullet(text: &str) -> Option<&str> {
    let numbered = || {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = text.get(digits..).filter(|_| digits > 0)?;
        rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))
    };
    BULLETS.iter().find_map(|bullet| text.strip_prefix(bullet)).or_else(numbered).map(str::trim)
}

/// Whether a task is ticked, and the task; none where there is no box.
fn checkbox(content: &str, line: usize) -> Result<Option<(bool, &str)>, PlanError> {
    let Some(rest) = content.strip_prefix('[') else { return Ok(None) };
    let Some((mark, rest)) = rest.split_once(']') else { return Ok(None) };
    // `[text](address)` is a link.
    if rest.starts_with(['(', '[', ':']) || mark.chars().count() > 1 {
        return Ok(None);
    }
    match mark {
        " " | "" => Ok(Some((false, rest.trim()))),
        "x" | "X" => Ok(Some((true, rest.trim()))),
        other => Err(PlanError::new(
            line,
            format!("`[{other}]` is neither open nor done"),
            "write `[ ]` for what is to be done, and `[x]` for what is done",
        )),
    }
}

/// A value without the marks of code around it.
fn plain(value: &str) -> &str {
    let value = value.trim();
    let inner = value.strip_prefix('`').and_then(|value| value.strip_suffix('`'));
    inner.filter(|inner| !inner.contains('`')).unwrap_or(value)
}
