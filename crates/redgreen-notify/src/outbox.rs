//! What people are to hear, and what they have: a file for each session that needs somebody. It is written before
//! anything is sent, and after each thing that was, so that a crash in between loses nothing.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use redgreen_files::write_with_mode;
use redgreen_model::config::{Channel, NotifySettings};
use redgreen_model::escalation::Escalation;
use serde::{Deserialize, Serialize};

use crate::channel::{Again, Refusal, Sent, way};
use crate::message::Message;
use crate::surroundings::Surroundings;

/// The version of a case's file.
const VERSION: u32 = 1;
/// What a case's file ends with.
const CASE: &str = "json";
/// Only its owner reads it: an address may be a secret.
const MODE: u32 = 0o600;
/// The pauses before the next tries, in seconds. After the last of them nobody tries any more.
const PAUSES: [u64; 8] = [1, 3, 10, 60, 600, 3_600, 21_600, 86_400];

/// A loop that needs somebody, and who has heard of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    version: u32,
    /// The work tree.
    pub project: PathBuf,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// What there is to know.
    pub escalation: Escalation,
    /// Who is to hear of it.
    pub deliveries: Vec<Delivery>,
    /// What somebody said to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<Answered>,
}

/// One message, on its way or there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delivery {
    /// The way it goes.
    pub settings: NotifySettings,
    /// How it stands.
    pub standing: Standing,
    /// How often it was tried.
    pub tries: u32,
    /// When it may be tried again, in seconds since 1970.
    pub not_before: i64,
    /// Where it went, or why it did not.
    pub remark: String,
    /// What it is called there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    known: Option<String>,
}

/// How a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It will be tried.
    Waiting,
    /// It arrived.
    Delivered,
    /// It did not, and will not unless somebody changes something.
    Refused,
}

impl Standing {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Refused => "not delivered",
        }
    }
}

/// A person's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    /// When, RFC 3339.
    pub at: String,
    /// What.
    pub word: String,
    /// Who.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// One try.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Attempted {
    /// The session.
    pub session: String,
    /// The way.
    pub channel: Channel,
    /// How it stands after it.
    pub standing: Standing,
    /// Where it went, or why it did not.
    pub remark: String,
    /// The message itself, where whoever sends it is to show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Tries each way of a case once and writes nothing down.
pub fn try_once(mut case: Case, surroundings: &Surroundings) -> Vec<Attempted> {
    (0..case.deliveries.len()).map(|at| case.try_delivery(at, 0, surroundings)).collect()
}

/// The outbox cannot be used.
#[derive(Debug)]
pub struct OutboxError {
    /// What was to be done.
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// Why not.
    pub source: io::Error,
}

impl std::fmt::Display for OutboxError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "cannot {} {}: {}", self.action, self.path.display(), self.source)
    }
}

impl std::error::Error for OutboxError {}

/// The folder of the cases of one person, outside of any work tree.
pub struct Outbox {
    folder: PathBuf,
}

impl Case {
    /// A case of which nobody has heard.
    pub fn new(
        project: &Path,
        remote: Option<String>,
        escalation: Escalation,
        ways: &[NotifySettings],
    ) -> Self {
        let deliveries = ways.iter().cloned().map(Delivery::new).collect();
        Self {
            version: VERSION,
            project: project.to_owned(),
            remote,
            escalation,
            deliveries,
            answered: None,
        }
    }

    /// What an earlier end of the same session was called where it went: a comment is written over.
    fn taking_over(mut self, earlier: &Self) -> Self {
        for delivery in &mut self.deliveries {
            let same = earlier.deliveries.iter().find(|it| it.settings == delivery.settings);
            delivery.known = same.and_then(|it| it.known.clone());
        }
        self
    }

    fn try_delivery(&mut self, at: usize, now: i64, surroundings: &Surroundings) -> Attempted {
        let delivery = &mut self.deliveries[at];
        let message = Message::new(&self.escalation, delivery.settings.template.as_deref());
        let sent = way(&delivery.settings, self.remote.as_deref(), surroundings)
            .and_then(|way| way.send(&message, delivery.known.as_deref()));
        delivery.tried(sent, now);
        delivery.attempted(&self.escalation.session, &message)
    }

    /// Whether it waits for somebody.
    pub fn is_open(&self) -> bool {
        self.answered.is_none()
    }
}

impl Delivery {
    fn new(settings: NotifySettings) -> Self {
        let (standing, remark) = (Standing::Waiting, String::new());
        Self { settings, standing, tries: 0, not_before: 0, remark, known: None }
    }

    /// Writes down how a try ended.
    fn tried(&mut self, outcome: Result<Sent, Refusal>, now: i64) {
        self.tries += 1;
        match outcome {
            Ok(Sent { to, known }) => {
                (self.standing, self.remark, self.known) = (Standing::Delivered, to, known);
            }
            Err(Refusal { problem, again }) => {
                let pause = PAUSES.get(self.tries as usize - 1);
                self.remark = problem;
                match (again, pause) {
                    (Again::After(asked), Some(pause)) => {
                        let pause = i64::try_from(asked.max(*pause)).unwrap_or(i64::MAX);
                        self.not_before = now.saturating_add(pause);
                    }
                    _ => self.standing = Standing::Refused,
                }
            }
        }
    }
}

impl Outbox {
    /// The outbox in a folder.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes a case down. One that is there already, of the same end of the session, stays as it is.
    pub fn put(&self, case: Case) -> Result<(), OutboxError> {
        fs::create_dir_all(&self.folder).map_err(self.failed("make the folder"))?;
        let _writing = self.writing()?;
        match self.case(&case.escalation.session) {
            Some(there) if there.escalation.at == case.escalation.at => Ok(()),
            Some(earlier) => self.write(&case.taking_over(&earlier)),
            None => self.write(&case),
        }
    }

    /// Removes a session's case.
    pub fn forget(&self, session: &str) -> Result<(), OutboxError> {
        let _writing = self.writing()?;
        match fs::remove_file(self.path(session)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(self.failed("remove a case from")(error))
            }
            _ => Ok(()),
        }
    }

    /// Changes what is on disk: somebody else may have written since it was read.
    fn change(&self, session: &str, change: impl FnOnce(&mut Case)) -> Result<(), OutboxError> {
        if !self.folder.is_dir() {
            return Ok(());
        }
        let _writing = self.writing()?;
        let Some(mut case) = self.case(session) else { return Ok(()) };
        change(&mut case);
        self.write(&case)
    }

    /// While it is held, nobody else writes.
    fn writing(&self) -> Result<File, OutboxError> {
        let lock = File::create(self.folder.join("writing")).and_then(|file| {
            file.lock()?;
            Ok(file)
        });
        lock.map_err(self.failed("lock"))
    }

    /// A session's case.
    pub fn case(&self, session: &str) -> Option<Case> {
        let text = fs::read(self.path(session)).ok()?;
        serde_json::from_slice::<Case>(&text).ok().filter(|case| case.version == VERSION)
    }

    /// All cases, the oldest first: ids begin with the time.
    pub fn cases(&self) -> Vec<Case> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut sessions: Vec<String> = paths
            .filter(|path| path.extension().is_some_and(|extension| extension == CASE))
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        sessions.sort_unstable();
        sessions.iter().filter_map(|session| self.case(session)).collect()
    }

    /// Writes down what a person said to a case.
    pub fn answer(&self, session: &str, answered: Answered) -> Result<(), OutboxError> {
        self.change(session, |case| case.answered = Some(answered))
    }

    /// Writes down how a try ended, beside what others have written meanwhile: an answer, a new end of the session.
    fn settle(&self, tried: &Case, at: usize) -> Result<(), OutboxError> {
        let Some(delivery) = tried.deliveries.get(at) else { return Ok(()) };
        self.change(&tried.escalation.session, |case| {
            if case.escalation.at != tried.escalation.at {
                let same = case.deliveries.iter_mut().find(|it| it.settings == delivery.settings);
                if let Some(next) = same {
                    next.known.clone_from(&delivery.known);
                }
            } else if let Some(there) = case.deliveries.get_mut(at) {
                there.clone_from(delivery);
            }
        })
    }

    /// Tries what is due; with `again` also what was refused, or is to wait. Who else is at it does it all.
    pub fn deliver(
        &self,
        now: i64,
        again: bool,
        surroundings: &Surroundings,
    ) -> Result<Vec<Attempted>, OutboxError> {
        let mut attempted = Vec::new();
        if !self.folder.is_dir() {
            return Ok(attempted);
        }
        let lock = File::create(self.folder.join("lock")).map_err(self.failed("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(attempted),
            Err(TryLockError::Error(error)) => return Err(self.failed("lock")(error)),
        }
        for mut case in self.cases() {
            for at in 0..case.deliveries.len() {
                if !case.deliveries[at].is_due(now, again) {
                    continue;
                }
                let tried = case.try_delivery(at, now, surroundings);
                self.settle(&case, at)?;
                attempted.push(tried);
            }
        }
        Ok(attempted)
    }

    /// When the next try is due, in seconds since 1970.
    pub fn next_due(&self) -> Option<i64> {
        let cases = self.cases();
        let deliveries = cases.iter().flat_map(|case| &case.deliveries);
        deliveries.filter(|it| it.standing == Standing::Waiting).map(|it| it.not_before).min()
    }

    fn path(&self, session: &str) -> PathBuf {
        let plain: String =
            session.chars().filter(|it| it.is_ascii_alphanumeric() || *it == '-').collect();
        self.folder.join(plain).with_extension(CASE)
    }

    fn write(&self, case: &Case) -> Result<(), OutboxError> {
        let text = serde_json::to_vec_pretty(case).map_err(io::Error::from);
        let path = self.path(&case.escalation.session);
        text.and_then(|text| write_with_mode(&path, &text, MODE)).map_err(self.failed("write into"))
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(io::Error) -> OutboxError {
        let path = self.folder.clone();
        move |source| OutboxError { action, path, source }
    }
}

impl Delivery {
    fn is_due(&self, now: i64, again: bool) -> bool {
        match self.standing {
            Standing::Waiting => again || self.not_before <= now,
            Standing::Refused => again,
            Standing::Delivered => false,
        }
    }

    fn attempted(&self, session: &str, message: &Message) -> Attempted {
        let is_shown = self.settings.channel == Channel::Cli;
        Attempted {
            text: is_shown.then(|| message.plain(usize::MAX)),
            session: session.to_owned(),
            channel: self.settings.channel,
            standing: self.standing,
            remark: self.remark.clone(),
        }
    }
}
