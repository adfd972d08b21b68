//! Trust: some agents run the hooks of a folder, or a hook itself, only after a person has said so.
//!
//! Who installs hooks says so. What redgreen writes for it carries a comment, so that it is known as
//! redgreen's when it is to be taken back; trust that a person gave is left alone.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::entries::take_out;
use super::file;
use super::json::{Comments, Node, Wrong, append, parse, whole};
use super::{Scope, SettingsError, Surroundings, UserFile};

/// What tells redgreen's own trust from a person's.
pub(crate) const MARK: &str = "by redgreen hooks install";
const COMMENT: &str = " /* by redgreen hooks install */";

/// How an agent's trust is set up.
#[derive(Debug)]
pub struct Trust {
    /// Says that the hooks may run, and tells what has been done for it.
    pub grant: fn(&Surroundings, Scope) -> Result<Vec<String>, SettingsError>,
    /// Takes back what was said, as far as it was redgreen that said it.
    pub revoke: fn(&Surroundings, Scope) -> Result<Vec<String>, SettingsError>,
    /// Looks.
    pub look: fn(&Surroundings, Scope) -> Result<Standing, SettingsError>,
}

/// Whether an agent would run the hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It would; by its own word or by its own files, as told.
    Trusted(String),
    /// It would not, until somebody does this.
    Untrusted(String),
    /// It asks for no trust here.
    NotAsked,
}

/// A list of folders that an agent trusts, in a JSON file of its own.
pub(crate) struct Folders {
    pub file: UserFile,
    /// The name of the list; `None` if the document itself has folders for names.
    pub list: Option<&'static str>,
    /// What a folder is set to that is trusted, where folders are names.
    pub word: &'static str,
    /// What a person does instead.
    pub step: &'static str,
}

impl Folders {
    /// Adds the project's root.
    pub fn grant(&self, around: &Surroundings, scope: Scope) -> Result<Vec<String>, SettingsError> {
        let Some(root) = self.asked(around, scope) else { return Ok(Vec::new()) };
        let (path, text) = self.read(around)?;
        let wrong = |wrong| SettingsError::Form { path: path.clone(), wrong };
        if self.says(text.as_deref(), &root).map_err(wrong)?.is_some() {
            return Ok(Vec::new());
        }
        let wanted = self.added(text.as_deref(), &root).map_err(wrong)?;
        file::write(&file::Found { path: path.clone(), text }, &wanted)?;
        Ok(vec![format!("{root} is trusted now, in {}", path.display())])
    }

    /// Takes the project's root away, if redgreen has put it there.
    pub fn revoke(
        &self,
        around: &Surroundings,
        scope: Scope,
    ) -> Result<Vec<String>, SettingsError> {
        let Some(root) = self.asked(around, scope) else { return Ok(Vec::new()) };
        let (path, text) = self.read(around)?;
        let Some(text) = text else { return Ok(Vec::new()) };
        let wrong = |wrong| SettingsError::Form { path: path.clone(), wrong };
        let found = file::Found { path: path.clone(), text: Some(text.clone()) };
        let said = format!("{root} is no longer trusted, in {}", path.display());
        if text == self.new_text(&root) {
            file::remove(&found, &around.home)?;
            return Ok(vec![said]);
        }
        match self.removed(&text, &root).map_err(wrong)? {
            Some(left) => {
                file::write(&found, &left)?;
                Ok(vec![said])
            }
            None => Ok(Vec::new()),
        }
    }

    /// Whether the project's root is trusted.
    pub fn look(&self, around: &Surroundings, scope: Scope) -> Result<Standing, SettingsError> {
        let Some(root) = self.asked(around, scope) else { return Ok(Standing::NotAsked) };
        let (path, text) = self.read(around)?;
        let says = self
            .says(text.as_deref(), &root)
            .map_err(|wrong| SettingsError::Form { path: path.clone(), wrong })?;
        Ok(match says {
            Some(true) => Standing::Trusted(format!("by {}", path.display())),
            _ => Standing::Untrusted(self.step.to_owned()),
        })
    }

    /// The root, where a folder has to be trusted at all. One that is no text cannot be in a list.
    fn asked(&self, around: &Surroundings, scope: Scope) -> Option<String> {
        let root = std::fs::canonicalize(&around.root).unwrap_or_else(|_| around.root.clone());
        (scope == Scope::Project).then(|| root.to_str().map(str::to_owned)).flatten()
    }

    fn read(&self, around: &Surroundings) -> Result<(PathBuf, Option<String>), SettingsError> {
        let found = file::read(&around.user_file(&self.file), None)?;
        Ok((found.path, found.text))
    }

    /// Whether the text says that a folder, or one that it is in, is trusted, or that it is not.
    fn says(&self, text: Option<&str>, root: &str) -> Result<Option<bool>, Wrong> {
        let Some(text) = text else { return Ok(None) };
        let document = parse(text, Comments::Allowed)?;
        if !document.is_object(text) {
            return Err(Wrong::at(text, document.start, "an object was expected"));
        }
        let within = |folder: &str| Path::new(root).starts_with(folder);
        let Some(list) = self.list else {
            let set = |name: &str| document.get(name).and_then(Node::text);
            if let Some(word) = set(root) {
                return Ok(Some(word != "DO_NOT_TRUST"));
            }
            let mut folders = document.items().iter().filter_map(|item| item.name.as_deref());
            let above = folders.any(|name| set(name) == Some(self.word) && within(name));
            return Ok(above.then_some(true));
        };
        let Some(list) = document.get(list) else { return Ok(None) };
        if !list.is_list(text) {
            return Err(Wrong::at(text, list.start, "a list was expected"));
        }
        let mut folders = list.items().iter().filter_map(|item| item.value.text());
        Ok(folders.any(within).then_some(true))
    }

    fn new_text(&self, root: &str) -> String {
        let text = match self.list {
            Some(list) => {
                let mut value = json!({});
                value[list] = json!([root]);
                whole(&value)
            }
            None => {
                let mut value = json!({});
                value[root] = json!(self.word);
                whole(&value)
            }
        };
        // The only value, or the only text in the list: its end is the last quote.
        let end = text.rfind('"').map_or(text.len(), |quote| quote + 1);
        format!("{}{COMMENT}{}", &text[..end], &text[end..])
    }

    fn added(&self, text: Option<&str>, root: &str) -> Result<String, Wrong> {
        let Some(text) = text else { return Ok(self.new_text(root)) };
        let added = self.inserted(text, root)?;
        let way = self.way(&parse(&added, Comments::Allowed)?, root);
        let end = way
            .last()
            .map_or(added.len(), |(container, index)| container.items()[*index].value.end);
        Ok(format!("{}{COMMENT}{}", &added[..end], &added[end..]))
    }

    fn inserted(&self, text: &str, root: &str) -> Result<String, Wrong> {
        let document = parse(text, Comments::Allowed)?;
        let Some(name) = self.list else {
            return Ok(append(text, &document, &document, Some(root), &Value::from(self.word)));
        };
        Ok(match document.get(name) {
            Some(list) => append(text, &document, list, None, &Value::from(root)),
            None => append(text, &document, &document, Some(name), &json!([root])),
        })
    }

    /// The text without what redgreen has put there; `None` if there is nothing of that.
    fn removed(&self, text: &str, root: &str) -> Result<Option<String>, Wrong> {
        let way = self.way(&parse(text, Comments::Allowed)?, root);
        let Some((container, index)) = way.last() else { return Ok(None) };
        let end = container.items()[*index].value.end;
        if !text[end..].starts_with(COMMENT) {
            return Ok(None);
        }
        let plain = format!("{}{}", &text[..end], &text[end + COMMENT.len()..]);
        let way = self.way(&parse(&plain, Comments::Allowed)?, root);
        take_out(&plain, &way, |without| self.inserted(without, root)).map(Some)
    }

    fn way(&self, document: &Node, root: &str) -> Vec<(Node, usize)> {
        let Some(name) = self.list else {
            let position = document.position(root);
            return position.map(|index| (document.clone(), index)).into_iter().collect();
        };
        let Some(at) = document.position(name) else { return Vec::new() };
        let list = &document.items()[at].value;
        let index = list.items().iter().rposition(|item| item.value.text() == Some(root));
        index.map(|index| vec![(document.clone(), at), (list.clone(), index)]).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: Folders = Folders {
        file: UserFile { variable: None, folder: ".agent", file: "config.json" },
        list: Some("trusted"),
        word: "",
        step: "trust it",
    };
    const NAMES: Folders = Folders {
        file: UserFile { variable: None, folder: ".agent", file: "trusted.json" },
        list: None,
        word: "TRUST_FOLDER",
        step: "trust it",
    };

    #[test]
    fn trust_is_given_once_and_taken_back_byte_for_byte() {
        for text in [
            "{}",
            "{\n}\n",
            "// managed\n{\n  \"a\": 1\n}\n",
            "{\"trusted\": []}",
            "{\n  \"trusted\": [\n    \"/x\"\n  ]\n}",
            "{\n  \"/x\": \"TRUST_FOLDER\" // mine\n}\n",
            "{\"trusted\":[\"/x\",\"/y\"],\"/y\":\"DO_NOT_TRUST\"}",
        ] {
            for folders in [&LIST, &NAMES] {
                let with = folders.added(Some(text), "/re \"po\"").expect("added");
                assert_eq!(folders.says(Some(&with), "/re \"po\""), Ok(Some(true)), "{with}");
                assert_eq!(folders.says(Some(&with), "/re \"po\"/in"), Ok(Some(true)), "{with}");
                let without = folders.removed(&with, "/re \"po\"");
                assert_eq!(without, Ok(Some(text.to_owned())), "{with}");
                assert_eq!(folders.removed(text, "/x"), Ok(None), "a person said so");
            }
        }
    }

    #[test]
    fn what_a_person_said_counts() {
        let says = |text: &str, root: &str| NAMES.says(Some(text), root).expect("JSON");
        let text = "{\"/a\": \"TRUST_FOLDER\", \"/a/b\": \"DO_NOT_TRUST\"}";
        assert_eq!(says(text, "/a/c"), Some(true));
        assert_eq!(says(text, "/a/b"), Some(false));
        assert_eq!(says(text, "/ab"), None);
        assert!(LIST.says(Some("{\"trusted\": {}}"), "/a").is_err());
        assert!(LIST.says(Some("[]"), "/a").is_err());
    }

    #[test]
    fn files_are_made_and_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let around = Surroundings {
            root: folder.path().join("root"),
            home: folder.path().join("home"),
            variables: std::collections::BTreeMap::new(),
        };
        std::fs::create_dir_all(&around.root).expect("a folder");
        std::fs::create_dir_all(&around.home).expect("a folder");
        for folders in [&LIST, &NAMES] {
            let look = || folders.look(&around, Scope::Project).expect("looks");
            assert!(matches!(look(), Standing::Untrusted(_)));
            assert_eq!(folders.grant(&around, Scope::Project).expect("grants").len(), 1);
            assert_eq!(folders.grant(&around, Scope::Project).expect("grants").len(), 0);
            assert!(matches!(look(), Standing::Trusted(_)));
            assert_eq!(folders.revoke(&around, Scope::Project).expect("revokes").len(), 1);
            assert!(!around.home.join(".agent").exists());
            assert_eq!(folders.look(&around, Scope::User).expect("looks"), Standing::NotAsked);
        }
    }
}
