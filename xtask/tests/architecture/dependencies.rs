//! The dependency graph, from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Packages by name and what they need in a normal build: what is used only to build or to test
/// does not end up in the product. Two versions of a package are one here.
pub struct Graph {
    members: Vec<Member>,
    edges: BTreeMap<String, BTreeSet<String>>,
}

/// A crate of this workspace.
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where its manifest is.
    pub folder: PathBuf,
}

impl Graph {
    /// What cargo resolves for this workspace on this platform.
    pub fn of_this_workspace() -> Self {
        let host = run("rustc", &["--version", "--verbose"]);
        let host = host.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.expect("rustc names its host");
        // Offline and for this platform alone: everything is there, or this test had not been built.
        let args = ["metadata", "--format-version", "1", "--offline", "--filter-platform", host];
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let metadata = serde_json::from_str(&run(&cargo, &args));
        Self::of_metadata(&metadata.expect("cargo metadata prints JSON"))
    }

    fn of_metadata(metadata: &Value) -> Self {
        let packages: BTreeMap<&str, &Value> =
            list(&metadata["packages"]).map(|package| (text(&package["id"]), package)).collect();
        let name = |id: &Value| text(&packages[text(id)]["name"]).to_owned();
        let members = list(&metadata["workspace_members"])
            .map(|id| {
                let manifest = Path::new(text(&packages[text(id)]["manifest_path"]));
                let folder = manifest.parent().expect("a manifest is in a folder").to_owned();
                Member { name: name(id), folder }
            })
            .collect();
        let mut edges: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for node in list(&metadata["resolve"]["nodes"]) {
            let normal = list(&node["deps"])
                .filter(|dep| list(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null()))
                .map(|dep| name(&dep["pkg"]));
            edges.entry(name(&node["id"])).or_default().extend(normal);
        }
        Self { members, edges }
    }

    /// A graph for a test.
    pub fn of_edges(members: &[&str], edges: &[(&str, &str)]) -> Self {
        let member = |name: &&str| Member { name: (*name).to_owned(), folder: PathBuf::new() };
        let mut graph =
            Self { members: members.iter().map(member).collect(), edges: BTreeMap::new() };
        for (from, to) in edges {
            graph.edges.entry((*from).to_owned()).or_default().insert((*to).to_owned());
        }
        graph
    }

    /// The crates of this workspace.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// What a package names in its own manifest.
    pub fn direct<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.edges.get(name).into_iter().flatten().map(String::as_str)
    }

    /// Everything that a package reaches, each with the shortest way to it, both ends included.
    pub fn reached<'a>(&'a self, name: &'a str) -> Vec<Vec<&'a str>> {
        let mut ways = Vec::new();
        let mut seen = BTreeSet::from([name]);
        let mut next = VecDeque::from([vec![name]]);
        while let Some(way) = next.pop_front() {
            let end = way.last().copied().unwrap_or(name);
            for dependency in self.direct(end).filter(|dependency| seen.insert(dependency)) {
                let longer: Vec<&str> = way.iter().copied().chain([dependency]).collect();
                ways.push(longer.clone());
                next.push_back(longer);
            }
        }
        ways
    }
}

fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(program)
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap_or_else(|error| panic!("{program} cannot be started: {error}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {args:?}: {}\n{stderr}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list in the metadata").iter()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text in the metadata")
}
