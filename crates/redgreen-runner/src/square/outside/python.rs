//! Packages of Python that came or were edited since a moment.
//!
//! A package says itself which files are its own, with a digest of each: what differs was edited, and what nobody claims
//! was put there by hand. A package that came is asked for where a manifest names it, or one that is asked for needs it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use redgreen_frameworks::is_cache;
use redgreen_model::outside::OutsideKind;
use sha2::{Digest as _, Sha256};

use super::found::changed_at;
use super::manifests::{Manifests, Named, plain};
use super::{Hidden, Suspect};

/// Packages that every environment comes with.
const ALWAYS: [&str; 6] = ["pip", "setuptools", "wheel", "uv", "distribute", "pkg-resources"];
/// Files that tools put beside packages without claiming them.
const OF_TOOLS: [&str; 5] = [
    "_virtualenv.py",
    "_virtualenv.pth",
    "easy-install.pth",
    "distutils-precedence.pth",
    "README.txt",
];
/// The most files that are looked at in one environment.
const FILES_MAX: usize = 100_000;
/// How long the tool that makes an environment may write into it.
const MAKING: Duration = Duration::from_secs(60);

/// A package, as it describes itself.
struct Package {
    name: String,
    /// Its folder with what it says of itself.
    info: String,
    needs: Vec<String>,
    /// Its files with their digests, from `site-packages`.
    files: BTreeMap<String, String>,
}

/// What came or was edited in one `site-packages`.
pub(super) fn look(site: &Path, since: SystemTime, manifests: &Manifests<'_>) -> Vec<Suspect> {
    let young = young_files(site, since);
    if young.is_empty() {
        return Vec::new();
    }
    let packages = packages(site);
    let asked = asked(&packages, manifests.named());
    let made = site.ancestors().nth(3).and_then(|it| fs::metadata(it.join("pyvenv.cfg")).ok());
    let made = made.map(|metadata| changed_at(&metadata)).filter(|at| *at > since);
    let mut came: BTreeMap<&str, SystemTime> = BTreeMap::new();
    let mut suspects = Vec::new();
    let owners = owners(&packages);
    for (file, at) in &young {
        let owner = owners.get(top_or_file(file)).or_else(|| owners.get(file.as_str())).copied();
        match owner {
            Some(owner) if !asked.contains(&owner.name) => {
                let first = came.entry(owner.name.as_str()).or_insert(*at);
                *first = (*first).min(*at);
            }
            Some(owner) if owner.has_as_it_came(site, file, (*at, since)) => {}
            None if is_of_tools(file) || made.is_some_and(|made| *at <= made + MAKING) => {}
            _ => suspects.push(Suspect {
                kind: OutsideKind::Edited,
                name: site.join(file).display().to_string(),
                at: *at,
                hidden: Hidden::in_layer(site, [site.join(file)]),
            }),
        }
    }
    suspects.extend(packages.iter().filter_map(|package| {
        let at = *came.get(package.name.as_str())?;
        let hidden = Hidden::in_layer(site, package.places(site, &packages));
        Some(Suspect { kind: OutsideKind::Package, name: package.name.clone(), at, hidden })
    }));
    suspects
}

impl Package {
    /// Whether a file is as the package brought it. What was written together with what the package says of itself is
    /// not read: a tool that installs writes all of it at once.
    fn has_as_it_came(
        &self,
        site: &Path,
        file: &str,
        (at, since): (SystemTime, SystemTime),
    ) -> bool {
        let came = fs::metadata(site.join(&self.info).join("METADATA")).map(|it| changed_at(&it));
        if came.is_ok_and(|came| came > since && at <= came + MAKING) {
            return true;
        }
        let Some(digest) = self.files.get(file).filter(|digest| !digest.is_empty()) else {
            return true; // What it says of itself has no digest.
        };
        let bytes = fs::read(site.join(file)).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes)) == *digest
    }

    /// What to hide of it: whole folders, and single files where others have some in the same one.
    fn places(&self, site: &Path, all: &[Self]) -> Vec<PathBuf> {
        let top = |file: &str| file.split('/').next().unwrap_or_default().to_owned();
        let others = all.iter().filter(|it| it.name != self.name);
        let others: BTreeSet<String> =
            others.flat_map(|it| it.files.keys().map(|it| top(it))).collect();
        let own = self.files.keys().filter(|file| !file.starts_with("..") && !is_cache(&top(file)));
        let own: BTreeSet<String> = own
            .map(|file| if others.contains(&top(file)) { file.clone() } else { top(file) })
            .chain([self.info.clone()])
            .collect();
        own.into_iter().map(|path| site.join(path)).collect()
    }
}

/// The package of each file, and of each folder with what one says of itself.
fn owners(packages: &[Package]) -> HashMap<&str, &Package> {
    let files = packages.iter().flat_map(|it| it.files.keys().map(move |file| (file.as_str(), it)));
    files.chain(packages.iter().map(|it| (it.info.as_str(), it))).collect()
}

/// The first folder of a path, or the path.
fn top_or_file(file: &str) -> &str {
    file.split('/').next().unwrap_or(file)
}

fn is_of_tools(file: &str) -> bool {
    OF_TOOLS.contains(&file) || file.ends_with(".egg-link")
}

/// Files that appeared or changed, from `site-packages`; no bytecode.
fn young_files(site: &Path, since: SystemTime) -> Vec<(String, SystemTime)> {
    let (mut young, mut open, mut seen) = (Vec::new(), vec![String::new()], 0);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(site.join(&folder)).into_iter().flatten().flatten() {
            let (name, Ok(metadata)) = (entry.file_name(), entry.metadata()) else { continue };
            let name = name.to_string_lossy();
            seen += 1;
            if name == "__pycache__" || seen > FILES_MAX {
                continue;
            }
            let path =
                if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") };
            if metadata.is_dir() {
                open.push(path);
            } else if changed_at(&metadata) > since {
                young.push((path, changed_at(&metadata)));
            }
        }
    }
    young
}

fn packages(site: &Path) -> Vec<Package> {
    let entries = fs::read_dir(site).into_iter().flatten().flatten();
    let infos = entries.filter_map(|entry| {
        let info = entry.file_name().to_string_lossy().into_owned();
        (info.ends_with(".dist-info") || info.ends_with(".egg-info")).then_some(info)
    });
    infos.map(|info| package(site, info)).collect()
}

fn package(site: &Path, info: String) -> Package {
    let text = |name: &str| fs::read_to_string(site.join(&info).join(name)).unwrap_or_default();
    let about = match text("METADATA") {
        about if about.is_empty() => text("PKG-INFO"),
        about => about,
    };
    let head = about.split("\n\n").next().unwrap_or_default();
    let field = |line: &str, name: &str| line.strip_prefix(name).map(|it| it.trim().to_owned());
    let name = head.lines().find_map(|line| field(line, "Name:"));
    let name = name.unwrap_or_else(|| info.split('-').next().unwrap_or_default().to_owned());
    let needs = head.lines().filter_map(|line| field(line, "Requires-Dist:"));
    let ends = |c: char| !(c.is_ascii_alphanumeric() || "-_.".contains(c));
    let needs = needs.map(|it| plain(it.split(ends).next().unwrap_or_default())).collect();
    let record = text("RECORD");
    let files = record.lines().filter_map(|line| {
        let mut parts = line.rsplitn(3, ',');
        let (_, digest, file) = (parts.next()?, parts.next()?, parts.next()?);
        Some((file.trim_matches('"').to_owned(), digest.trim_start_matches("sha256=").to_owned()))
    });
    Package { name: plain(&name), needs, files: files.collect(), info: info.clone() }
}

/// The packages that something asks for.
fn asked(packages: &[Package], named: &Named) -> BTreeSet<String> {
    let is_asked = |it: &&Package| ALWAYS.contains(&it.name.as_str()) || named.has(&it.name);
    let mut open: Vec<&Package> = packages.iter().filter(is_asked).collect();
    let mut asked = BTreeSet::new();
    while let Some(package) = open.pop() {
        if asked.insert(package.name.clone()) {
            open.extend(packages.iter().filter(|it| package.needs.contains(&it.name)));
        }
    }
    asked
}

/// When a project was installed into a `site-packages` as something to edit.
pub(super) fn installs_of(root: &Path, site: &Path) -> Vec<SystemTime> {
    let from = format!("\"file://{}\"", root.display());
    let entries = fs::read_dir(site).into_iter().flatten().flatten();
    let origins = entries.map(|entry| entry.path().join("direct_url.json"));
    let is_own = |origin: &PathBuf| {
        fs::read_to_string(origin)
            .is_ok_and(|text| text.contains("\"editable\": true") && text.contains(&from))
    };
    let noted = origins.filter(is_own).filter_map(|origin| fs::metadata(origin).ok());
    noted.map(|metadata| changed_at(&metadata)).collect()
}

/// The environments that the commands of a project may use: those in it, the one that is switched on, the one of the
/// first Python on `PATH`, and the user's own.
pub(super) fn environments(root: &Path, inner: &[String]) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = inner.iter().map(|folder| root.join(folder)).collect();
    found.extend(
        ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(std::env::var_os).map(PathBuf::from),
    );
    let path = std::env::var_os("PATH").unwrap_or_default();
    let has_python = |bin: &PathBuf| bin.join("python").exists() || bin.join("python3").exists();
    let first = std::env::split_paths(&path).find(has_python);
    found.extend(first.and_then(|bin| bin.parent().map(Path::to_owned)));
    found.extend(std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local")));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_to_edit_is_one_of_the_project_itself() {
        let site = tempfile::tempdir().unwrap();
        let root = Path::new("/home/me/shop");
        for (origin, count) in [
            (r#"{"dir_info": {"editable": true}, "url": "file:///home/me/shop"}"#, 1),
            (r#"{"dir_info": {"editable": true}, "url": "file:///home/me/shop2"}"#, 0),
            (r#"{"dir_info": {}, "url": "file:///home/me/shop"}"#, 0),
        ] {
            let info = site.path().join("shop-1.dist-info");
            fs::create_dir_all(&info).unwrap();
            fs::write(info.join("direct_url.json"), origin).unwrap();
            assert_eq!(installs_of(root, site.path()).len(), count, "{origin}");
        }
    }
}
