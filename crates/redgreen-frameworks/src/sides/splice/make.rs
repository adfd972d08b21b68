//! The rules of a makefile or a justfile, as they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{Body, Group, Judges, spliced};
use crate::sides::Mixture;

/// Variables that change how every recipe is run.
const STEERING: &[&str] = &["SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".ONESHELL"];
/// What is in the names of targets that test, below the one that is asked for. What they build is
/// code.
const TESTING: &[&str] = &["test", "check", "spec", "verify", "coverage"];

/// A makefile of which these targets are asked for.
pub(crate) fn mixture(goals: BTreeSet<String>) -> Arc<Mixture> {
    let parts = &["the targets of the test command", "SHELL and MAKEFLAGS"];
    Mixture::new(parts, move |code, tests| {
        // What is asked for decides, by the rules of each of the two.
        let mut judging = BTreeSet::new();
        for text in [code, tests].into_iter().flatten() {
            judging.extend(Rules::read(text).judging(&goals));
        }
        spliced(|text| Ok(Rules::read(text).group(&judging)), code, tests)
    })
}

/// A makefile in statements.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    statements: Vec<Statement>,
    end: String,
}

#[derive(Debug)]
struct Statement {
    kind: Kind,
    text: String,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Rule { targets: Vec<String>, needs: Vec<String> },
    Variable(String),
    Other(String),
}

impl Rules {
    /// Takes a text apart. What is not understood is a statement of its own, and code.
    pub(crate) fn read(text: &str) -> Self {
        let mut rules = Self::default();
        let mut before = String::new();
        let mut continued = false;
        for line in text.split_inclusive('\n') {
            let bare = line.trim();
            let indented = line.starts_with([' ', '\t']);
            let goes_on = continued || indented && !bare.is_empty();
            continued = bare.ends_with('\\');
            match rules.statements.last_mut() {
                Some(last) if goes_on => {
                    last.text.push_str(&std::mem::take(&mut before));
                    last.text.push_str(line);
                }
                _ if bare.is_empty() || bare.starts_with('#') => before.push_str(line),
                _ => {
                    let text = std::mem::take(&mut before) + line;
                    rules.statements.push(Statement { kind: kind(line), text });
                }
            }
        }
        rules.end = before;
        rules
    }

    /// The target that is made when none is asked for.
    pub(crate) fn first_goal(&self) -> Option<String> {
        let plain = |target: &&String| !target.starts_with('.') && !target.contains('%');
        self.rules().find_map(|(targets, _, _)| targets.iter().find(plain)).cloned()
    }

    /// The recipes that are run for some targets, as shell commands.
    pub(crate) fn recipes(&self, goals: &BTreeSet<String>) -> Vec<String> {
        let wanted = self.needed(goals, |_| true);
        let chosen = self.rules().filter(|(targets, _, _)| {
            targets.iter().any(|target| wanted.contains(target.as_str()))
        });
        chosen.map(|(_, _, text)| self.recipe(text)).collect()
    }

    fn rules(&self) -> impl Iterator<Item = (&Vec<String>, &Vec<String>, &str)> {
        self.statements.iter().filter_map(|statement| match &statement.kind {
            Kind::Rule { targets, needs } => Some((targets, needs, statement.text.as_str())),
            _ => None,
        })
    }

    /// The goals, and what they need of what is wanted.
    fn needed(&self, goals: &BTreeSet<String>, wanted: impl Fn(&str) -> bool) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = self
            .rules()
            .flat_map(|(targets, _, _)| targets)
            .filter(|target| goals.contains(*target))
            .map(String::as_str)
            .collect();
        while let Some(target) = open.pop() {
            if found.insert(target) {
                let needs =
                    self.rules().filter(|(targets, _, _)| targets.iter().any(|t| t == target));
                let needs = needs.flat_map(|(_, needs, _)| needs).map(String::as_str);
                open.extend(needs.filter(|need| wanted(need)));
            }
        }
        found
    }

    /// The lines of a rule's recipe with the makefile's own variables put in.
    fn recipe(&self, rule: &str) -> String {
        let lines = rule.lines().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
        let recipe: String = lines
            .skip(1)
            .map(|line| line.trim().trim_start_matches(['@', '-', '+']).trim_start())
            .flat_map(|line| [line, "\n"])
            .collect();
        let mut recipe = recipe;
        for statement in &self.statements {
            if let Kind::Variable(name) = &statement.kind {
                let value = statement.text.split_once('=').map_or("", |(_, value)| value).trim();
                for use_of in
                    [format!("$({name})"), format!("${{{name}}}"), format!("{{{{{name}}}}}")]
                {
                    recipe = recipe.replace(&use_of, value);
                }
            }
        }
        recipe.replace("$(MAKE)", "make").replace("${MAKE}", "make")
    }

    /// What judges: targets that test, and variables that only they use.
    fn judging(&self, goals: &BTreeSet<String>) -> BTreeSet<String> {
        let testing = |name: &str| {
            let small = name.to_ascii_lowercase();
            TESTING.iter().any(|word| small.contains(word))
        };
        let mut names: BTreeSet<String> =
            self.needed(goals, testing).into_iter().map(str::to_owned).collect();
        names.extend(goals.iter().cloned());
        let mut used: BTreeMap<&str, bool> = BTreeMap::new();
        for statement in &self.statements {
            if let Kind::Variable(name) = &statement.kind {
                let uses = |(targets, _, text): &(&Vec<String>, &Vec<String>, &str)| {
                    let named = text.contains(&format!("({name})"))
                        || text.contains(&format!("{{{name}}}"));
                    named.then(|| targets.iter().any(|target| names.contains(target)))
                };
                let users: Vec<bool> = self.rules().filter_map(|rule| uses(&rule)).collect();
                used.insert(name, !users.is_empty() && users.iter().all(|judges| *judges));
            }
        }
        let only = used.into_iter().filter(|(_, only)| *only).map(|(name, _)| format!("={name}"));
        let only: Vec<String> = only.collect();
        names.extend(only);
        names.extend(STEERING.iter().map(|name| format!("={name}")));
        names
    }

    fn group(self, judging: &BTreeSet<String>) -> Group {
        let piece = |statement: Statement| {
            let (key, judges) = match &statement.kind {
                Kind::Rule { targets, .. } => {
                    let judges = targets.iter().any(|target| judging.contains(target));
                    (format!(":{}", targets.join(" ")), judges)
                }
                Kind::Variable(name) => {
                    let key = format!("={name}");
                    let judges = judging.contains(&key);
                    (key, judges)
                }
                Kind::Other(line) => (line.clone(), false),
            };
            let judges = if judges { Judges::Yes } else { Judges::No };
            let text = statement.text;
            (key, Body::whole(judges, text.clone(), || text))
        };
        Group::new(self.statements.into_iter().map(piece).collect(), "\n").around("", self.end)
    }
}

fn kind(line: &str) -> Kind {
    let bare = line.split('#').next().unwrap_or(line).trim();
    let assignment = ["::=", ":=", "?=", "+=", "!=", "="]
        .iter()
        .filter_map(|sign| Some((bare.find(sign)?, *sign)))
        .min_by_key(|(at, sign)| (*at, std::cmp::Reverse(sign.len())));
    let colon = bare.find(':');
    match (assignment, colon) {
        (Some((at, _)), colon) if colon.is_none_or(|colon| at <= colon) => {
            let name = bare.get(..at).unwrap_or_default().split_whitespace().last();
            Kind::Variable(name.unwrap_or_default().to_owned())
        }
        (_, Some(colon)) if colon > 0 => {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
            let targets: Vec<String> = words(bare.get(..colon).unwrap_or_default());
            let needs = bare.get(colon + 1..).unwrap_or_default().trim_start_matches(':');
            let needs = needs.split(';').next().unwrap_or_default().replace('|', " ");
            Kind::Rule { targets, needs: words(&needs) }
        }
        _ => Kind::Other(bare.to_owned()),
    }
}
