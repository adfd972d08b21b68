//! Where an agent reads which servers of tools it may ask (Model Context Protocol), and how redgreen's own is put there
//! and taken away again.

use serde_json::{Value, json};

use super::entries::{Condition, Left, take_out, value_of};
use super::file::{self, Found};
use super::json::{Comments, Node, Wrong, append, parse, replace, whole};
use super::setup::{program_for, wrong_in};
use super::{Change, ENTRY_NAME, Scope, SettingsError, State, Surroundings, UserFile};

/// What redgreen is asked to be.
pub const SERVER_WORD: &str = "mcp";

/// Where an agent keeps its servers.
#[derive(Debug)]
pub struct Servers {
    /// The file in a project, from its root; none where it reads them from a user's file alone.
    pub project: Option<&'static str>,
    /// The file of a user.
    pub user: UserFile,
    /// What the object is called in which each has its name.
    pub name: &'static str,
    /// The entry of a program.
    pub entry: fn(&str) -> Value,
    /// Whether the file may have comments.
    pub comments: Comments,
}

/// The entry that most agents have.
pub(crate) fn server_entry(program: &str) -> Value {
    json!({"command": program, "args": [SERVER_WORD]})
}

impl Servers {
    /// The document with redgreen's server; none where another one has its name.
    fn with(&self, text: Option<&str>, program: &str) -> Result<Option<String>, Wrong> {
        let entry = (self.entry)(program);
        let Some(text) = text else {
            return Ok(Some(whole(&json!({self.name: {ENTRY_NAME: entry}}))));
        };
        let (root, list) = self.list(text)?;
        let Some(list) = list else {
            let value = json!({ENTRY_NAME: entry});
            return Ok(Some(append(text, &root, &root, Some(self.name), &value)));
        };
        let Some(at) = list.position(ENTRY_NAME) else {
            return Ok(Some(append(text, &root, &list, Some(ENTRY_NAME), &entry)));
        };
        let item = &list.items()[at];
        let found = value_of(text, &item.value);
        Ok(match (found == entry, self.is_own(&found)) {
            (true, _) => Some(text.to_owned()),
            (false, true) => Some(replace(text, &root, item, &entry)),
            (false, false) => None,
        })
    }

    fn without(&self, text: &str) -> Result<Left, Wrong> {
        let (root, list) = self.list(text)?;
        let place = list.as_ref().and_then(|list| Some((list, list.position(ENTRY_NAME)?)));
        let Some((list, at)) = place else { return Ok(Left::Same) };
        let found = value_of(text, &list.items()[at].value);
        if !self.is_own(&found) {
            return Ok(Left::Same);
        }
        if whole(&json!({self.name: {ENTRY_NAME: found}})) == text {
            return Ok(Left::Nothing);
        }
        let at_root = root.position(self.name).unwrap_or_default();
        let program = self.program(&found).unwrap_or_default().to_owned();
        let again = |text: &str| Ok(self.with(Some(text), &program)?.unwrap_or_default());
        take_out(text, &[(root.clone(), at_root), (list.clone(), at)], again).map(Left::Text)
    }

    fn condition(&self, text: &str, program: &str) -> Result<Condition, Wrong> {
        let (_, list) = self.list(text)?;
        let found = list.as_ref().and_then(|list| list.get(ENTRY_NAME));
        Ok(match found.map(|node| value_of(text, node)) {
            None => Condition::Absent,
            Some(found) if found == (self.entry)(program) => Condition::Current,
            Some(found) if self.is_own(&found) => Condition::Outdated,
            Some(_) => Condition::Changed,
        })
    }

    /// The document, and the object of the servers in it.
    fn list(&self, text: &str) -> Result<(Node, Option<Node>), Wrong> {
        let root = parse(text, self.comments)?;
        if !root.is_object(text) {
            return Err(Wrong::at(text, root.start, "an object was expected"));
        }
        let list = root.get(self.name).cloned();
        match &list {
            Some(list) if !list.is_object(text) => {
                Err(Wrong::at(text, list.start, format!("`{}` is not an object", self.name)))
            }
            _ => Ok((root, list)),
        }
    }

    /// Whether an entry is as some redgreen wrote it.
    fn is_own(&self, found: &Value) -> bool {
        self.program(found).is_some_and(|program| *found == (self.entry)(program))
    }

    fn program<'found>(&self, found: &'found Value) -> Option<&'found str> {
        let command = &found["command"];
        command.as_str().or_else(|| command.get(0)?.as_str())
    }

    fn read(&self, around: &Surroundings, scope: Scope) -> Result<Option<Found>, SettingsError> {
        match (scope, self.project) {
            (Scope::Project, None) => Ok(None),
            (Scope::Project, Some(path)) => {
                file::read(&around.root.join(path), Some(&around.root)).map(Some)
            }
            (Scope::User, _) => file::read(&around.user_file(&self.user), None).map(Some),
        }
    }

    /// Lets the agent ask redgreen; none where it reads no servers there.
    pub fn offer(
        &self,
        around: &Surroundings,
        scope: Scope,
        program: &str,
    ) -> Result<Option<(std::path::PathBuf, Change)>, SettingsError> {
        let Some(found) = self.read(around, scope)? else { return Ok(None) };
        let program = program_for(around, scope, program);
        let wanted = self.with(found.text.as_deref(), program).map_err(wrong_in(&found))?;
        let Some(wanted) = wanted else {
            let what = format!("has a server of another kind that is called {ENTRY_NAME}");
            return Err(SettingsError::Odd { path: found.path, what });
        };
        let change = match &found.text {
            Some(text) if *text == wanted => Change::Unchanged,
            Some(_) => Change::Updated,
            None => Change::Created,
        };
        if change != Change::Unchanged {
            file::write(&found, &wanted)?;
        }
        Ok(Some((found.path, change)))
    }

    /// Takes that back.
    pub fn withdraw(
        &self,
        around: &Surroundings,
        scope: Scope,
    ) -> Result<Option<(std::path::PathBuf, Change)>, SettingsError> {
        let Some(found) = self.read(around, scope)? else { return Ok(None) };
        let left = match &found.text {
            None => Left::Same,
            Some(text) => self.without(text).map_err(wrong_in(&found))?,
        };
        let change = match left {
            Left::Same => Change::Unchanged,
            Left::Text(text) => {
                file::write(&found, &text)?;
                Change::Updated
            }
            Left::Nothing => {
                file::remove(&found, around.bound(scope))?;
                Change::Removed
            }
        };
        Ok(Some((found.path, change)))
    }

    /// Says what is there.
    pub fn state(
        &self,
        around: &Surroundings,
        scope: Scope,
        program: &str,
    ) -> Result<Option<State>, SettingsError> {
        let Some(found) = self.read(around, scope)? else { return Ok(None) };
        let program = program_for(around, scope, program);
        let condition = match &found.text {
            None => Condition::Absent,
            Some(text) => self.condition(text, program).map_err(wrong_in(&found))?,
        };
        Ok(Some(State { path: found.path, condition }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AGENTS;

    const TEXTS: &[&str] = &[
        "{}",
        "{\n}\n",
        "{\"a\": 1}\n",
        "{\n  \"mcpServers\": {},\n  \"mcp\": {}\n}\n",
        "{\n\t\"mcpServers\": {\n\t\t\"other\": {\"command\": \"x\"}\n\t},\n\t\"mcp\": {\n\t\t\"other\": 1\n\t}\n}",
        "{\r\n  \"hooks\": {\"Stop\": []}\r\n}\r\n",
    ];

    #[test]
    fn a_server_is_added_and_taken_back_byte_for_byte() {
        let with_servers = AGENTS.iter().filter_map(|agent| Some((agent.name, agent.servers?)));
        let mut seen = 0;
        for (name, servers) in with_servers {
            seen += 1;
            for text in TEXTS {
                let with = servers.with(Some(text), "/opt/redgreen").expect("JSON").expect("added");
                let state = |program| servers.condition(&with, program);
                assert_eq!(state("/opt/redgreen"), Ok(Condition::Current), "{name}: {with}");
                assert_eq!(state("redgreen"), Ok(Condition::Outdated), "{name}: {with}");
                assert_eq!(servers.with(Some(&with), "/opt/redgreen"), Ok(Some(with.clone())));
                assert_eq!(servers.without(&with), Ok(Left::Text((*text).to_owned())), "{name}");
                assert_eq!(servers.without(text), Ok(Left::Same), "{name}");
            }
            let new = servers.with(None, "redgreen").expect("JSON").expect("new");
            assert_eq!(servers.without(&new), Ok(Left::Nothing), "{name}: {new}");
        }
        assert!(seen >= 4, "{seen}");
    }

    #[test]
    fn somebody_elses_server_of_the_name_stays() {
        let agent = AGENTS.iter().find(|agent| agent.servers.is_some()).expect("one");
        let servers = agent.servers.expect("it has them");
        let text = format!("{{\"{}\": {{\"redgreen\": {{\"url\": \"http://x\"}}}}}}", servers.name);
        assert_eq!(servers.with(Some(&text), "redgreen"), Ok(None));
        assert_eq!(servers.without(&text), Ok(Left::Same));
        assert_eq!(servers.condition(&text, "redgreen"), Ok(Condition::Changed));
        assert!(servers.with(Some("[]"), "redgreen").is_err());
    }
}
