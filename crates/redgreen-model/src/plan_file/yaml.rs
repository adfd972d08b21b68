//! A plan in YAML, or in JSON, which is YAML as well.

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::{Item, PlanError, PlanFile, command, kind, task};
use crate::document::read_yaml_as;
use crate::text::clean_block;

/// What a plan looks like.
const EXAMPLE: &str = "write `items:` with a list of tasks, each with `task:` and, if you like, `kind:`, `accept:` and `done:`";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    #[serde(default)]
    about: String,
    items: Spanned<Vec<Spanned<Entry>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    task: String,
    #[serde(default)]
    kind: Option<Spanned<String>>,
    #[serde(default)]
    accept: Option<Spanned<Commands>>,
    #[serde(default)]
    done: bool,
}

/// One command, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Commands {
    One(String),
    Several(Vec<String>),
}

pub(super) fn read(text: &str) -> Result<PlanFile, PlanError> {
    let plan: Plan = read_yaml_as(text).map_err(|problem| {
        let line = problem.position.map_or(1, |position| position.line);
        PlanError::new(line, problem.message, EXAMPLE)
    })?;
    if plan.items.value.is_empty() {
        return Err(PlanError::new(line_of(&plan.items), "there is no item in the plan", EXAMPLE));
    }
    let about = clean_block(plan.about.trim().as_bytes(), usize::MAX);
    let items = plan.items.value.into_iter().map(item).collect::<Result<_, _>>()?;
    Ok(PlanFile { about, items })
}

fn item(entry: Spanned<Entry>) -> Result<Item, PlanError> {
    let line = line_of(&entry);
    let Entry { task: text, kind: word, accept, done } = entry.value;
    let kind = word.map(|word| kind(&word.value, line_of(&word))).transpose()?;
    let accept = accept.map(|accept| {
        let line = line_of(&accept);
        let several = match accept.value {
            Commands::One(one) => vec![one],
            Commands::Several(several) => several,
        };
        several.iter().map(|text| command(text, line)).collect::<Result<Vec<_>, _>>()
    });
    let accept = accept.transpose()?.unwrap_or_default();
    Ok(Item { task: task(&text, line)?, kind, accept, done, line })
}

fn line_of<T>(spanned: &Spanned<T>) -> usize {
    usize::try_from(spanned.referenced.line()).unwrap_or(1).max(1)
}
