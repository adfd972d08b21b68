//! `redgreen evidence verify`

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use redgreen_evidence::{Bundle, PublicKey, read_lines};
use redgreen_model::config::Config;
use redgreen_model::evidence::Acceptance;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::tree::{CodeHash, TreeHash};
use redgreen_runner::evidence::verdict_rules;
use redgreen_runner::plan::{self, PlannedCheck};
use redgreen_runner::square::code_now;
use redgreen_runner::square::other_text;
use redgreen_workspace::Workspace;
use serde_json::json;

use super::{description, named, tree_named};
use crate::context;
use crate::display;
use crate::failure::{Ending, Failure};

/// The most bytes of evidence that are read.
const EVIDENCE_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// The most bytes of a public key: it is about a hundred.
const KEY_BYTES_MAX: u64 = 64 * 1024;
/// Standard input, as a file name.
const STANDARD_INPUT: &str = "-";

/// Check evidence with the public key alone, without running anything
///
/// Exit code 0 means that it is signed with that key, is about exactly this tree, and that the tree passed; 1
/// that one of these is not true; 3 that it cannot be read, or contains no envelope.
#[derive(Args)]
pub struct Arguments {
    /// What `redgreen evidence export` wrote; `-` is standard input
    file: String,
    /// The public key: PEM, or base64 of its 32 bytes
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
    /// The tree, or a revision; without it the work tree
    #[arg(long)]
    tree: Option<String>,
    /// Accept a tree that differs from the work tree only in files that are not code: documents,
    /// lock files; they are named
    #[arg(long, conflicts_with = "tree")]
    same_code: bool,
    /// Require that the change was compared with this tree or revision
    #[arg(long, value_name = "TREE")]
    base: Option<String>,
    /// Accept checks that are not those of the tree's redgreen.toml
    #[arg(long)]
    any_checks: bool,
    /// Accept a tree that did not pass where a person accepted it by name (`redgreen answer --accept`)
    #[arg(long)]
    accepted: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<Ending, Failure> {
    let text = read_key(&arguments.key)?;
    let key = PublicKey::parse(&text)
        .map_err(|why| Failure::usage(format!("{}: {why}", arguments.key.display())))?;
    let evidence = read_evidence(&arguments.file)?;
    let wanted = Wanted::of(arguments)?;
    let (bundles, mut refused) = Bundle::read_all(&evidence, &key);
    let mut good = None;
    for bundle in bundles {
        match wanted.why_not(&bundle) {
            None if good.is_none() => good = Some(bundle),
            None => {}
            Some(why) => refused.push(why),
        }
    }
    if good.is_none() && refused.is_empty() {
        refused.push("there is no evidence in it".to_owned());
    }
    if arguments.json {
        display::json_line(&json!({
            "result": "verify",
            "valid": good.is_some(),
            "tree": wanted.tree,
            "subject": good.as_ref().map(|bundle| &bundle.tree),
            "exact": good.as_ref().map(|bundle| bundle.tree.tree == wanted.tree),
            "differs": good.as_ref().and_then(|bundle| wanted.differing(bundle)),
            "evidence": good.as_ref().map(|bundle| &bundle.evidence),
            "refused": refused,
        }));
    } else {
        for why in &refused {
            display::note(&format!("{}: {why}", clean_line(&arguments.file, LINE_CHARS)));
        }
        match &good {
            Some(bundle) => {
                if bundle.tree.tree != wanted.tree {
                    display::note(&wanted.differences(bundle));
                }
                display::result(&format!("valid: {}", description(bundle, &key)));
            }
            None => display::result(&format!("not valid: no evidence that {} passed", wanted.tree)),
        }
    }
    Ok(match good {
        Some(_) => Ending::Green,
        None if read_lines(&evidence).iter().any(Result::is_ok) => Ending::Red,
        None => Ending::Tooling,
    })
}

/// The work tree.
struct WorkTree {
    workspace: Workspace,
    code: CodeHash,
    /// Whether another tree with the same code will do. What is no code by redgreen's rules can still
    /// matter to somebody (a lock file, a licence), so it has to be asked for.
    same_code: bool,
}

/// What the evidence has to be about.
struct Wanted {
    tree: TreeHash,
    /// Where that is the work tree.
    here: Option<WorkTree>,
    base: Option<TreeHash>,
    /// Whether a person's word will do.
    accepted: bool,
    /// What the work tree's own redgreen.toml says, where it has checks.
    own: Option<(Config, Vec<PlannedCheck>)>,
    /// Why the tree is not what lies there, in words.
    other_text: Option<String>,
}

impl Wanted {
    fn of(arguments: &Arguments) -> Result<Self, Failure> {
        let workspace = context::workspace();
        let accepted = arguments.accepted;
        let named = |name: &String| tree_named(workspace.as_ref().ok(), name);
        let base = arguments.base.as_ref().map(named).transpose()?;
        let tree = arguments.tree.as_ref().map(named).transpose()?;
        if let Some(tree) = tree {
            return Ok(Self { tree, here: None, base, accepted, own: None, other_text: None });
        }
        let workspace = workspace?;
        let tree = workspace.tree_anew()?;
        let other_text = other_text(&workspace, &tree, &tree)?;
        let config = context::configuration(workspace.root())?.unwrap_or_default();
        let code = code_now(workspace, &config)?;
        let same_code = arguments.same_code;
        let here = Some(WorkTree { workspace: context::workspace()?, code, same_code });
        let checks = plan::planned_checks(&config)?;
        let has_own = !arguments.any_checks && !checks.is_empty();
        Ok(Self {
            tree,
            here,
            base,
            accepted,
            own: has_own.then_some((config, checks)),
            other_text,
        })
    }

    /// Why a verdict that is signed is not the one that is wanted.
    fn why_not(&self, bundle: &Bundle) -> Option<String> {
        let evidence = &bundle.evidence;
        if self.other_text.is_some() {
            return self.other_text.clone();
        }
        if bundle.tree.tree != self.tree {
            let alike = self.here.as_ref().filter(|here| here.code == bundle.tree.code);
            match alike {
                None => return Some(format!("it is about another tree: {}", bundle.tree.tree)),
                Some(here) if !here.same_code => {
                    let how = self.differences(bundle);
                    return Some(format!("{how} (--same-code accepts that)"));
                }
                Some(_) => {}
            }
        }
        let result = evidence.result.as_str();
        match &evidence.accepted {
            _ if evidence.result.is_pass() => {}
            None => return Some(format!("the tree did not pass: {result}")),
            Some(_) if self.accepted => {}
            Some(Acceptance { by, reason, .. }) => {
                let word = format!("{by} accepted it: {reason}");
                return Some(format!(
                    "the tree did not pass: {result}; {} (--accepted takes a person's word)",
                    clean_line(&word, LINE_CHARS)
                ));
            }
        }
        if let Some(why) = evidence.made_beside_others() {
            return Some(why);
        }
        let base = bundle.base();
        if self.base.is_some() && self.base != base {
            let other = base.map_or_else(|| "nothing".to_owned(), |base| base.to_string());
            return Some(format!("the tree was compared with {other}, not with what --base names"));
        }
        let (config, checks) = self.own.as_ref()?;
        if verdict_rules(checks, config, evidence.code_type) != evidence.rules {
            let checks = evidence.executions.iter().take(1).flat_map(|it| &it.checks);
            let commands: Vec<String> =
                checks.map(|it| format!("`{}`", clean_line(&it.command, LINE_CHARS))).collect();
            return Some(format!(
                "it was judged by other checks than redgreen.toml has here: {} (--any-checks accepts them)",
                commands.join(", ")
            ));
        }
        None
    }
}

impl Wanted {
    /// The files by which the work tree is another one; none where that cannot be known, because the tree of
    /// the evidence is not in this repository.
    fn differing(&self, bundle: &Bundle) -> Option<Vec<String>> {
        let here = self.here.as_ref()?;
        here.workspace.differing(&bundle.tree.tree, &self.tree).ok()
    }

    /// The same in words, where the code is the same.
    fn differences(&self, bundle: &Bundle) -> String {
        let files = match self.differing(bundle) {
            Some(files) if files.len() == 1 => named("file that is no code differs", &files),
            Some(files) => named("files that are no code differ", &files),
            None => "it is not known here which files differ".to_owned(),
        };
        format!("it is about another tree with the same code, {}: {files}", bundle.tree.tree)
    }
}

fn read_evidence(file: &str) -> Result<Vec<u8>, Failure> {
    if file == STANDARD_INPUT {
        return bounded(std::io::stdin().lock(), file, EVIDENCE_BYTES_MAX);
    }
    let opened =
        File::open(file).map_err(|error| Failure::cannot(format_args!("read {file}"), error))?;
    bounded(opened, file, EVIDENCE_BYTES_MAX)
}

fn read_key(path: &PathBuf) -> Result<String, Failure> {
    let name = path.display().to_string();
    let file =
        File::open(path).map_err(|error| Failure::cannot(format_args!("read {name}"), error))?;
    let bytes = bounded(file, &name, KEY_BYTES_MAX)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn bounded(input: impl Read, name: &str, bytes_max: u64) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = input.take(bytes_max + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::cannot(format_args!("read {name}"), error))?;
    if bytes.len() as u64 > bytes_max {
        return Err(Failure::tooling(format!("{name} has more than {bytes_max} bytes")));
    }
    Ok(bytes)
}
