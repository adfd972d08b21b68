//! What is played with every agent, and what must come of it.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::model::{Model, Scenario, Turn};
use super::process;
use super::programs::{Agent, Gate, Stage, folder};
use super::project::{ALSO_WRONG, ATTEMPTS, FILE, Place, RIGHT, TEST, WRONG};
use crate::Failure;

/// How long one program may take.
const LIMIT: Duration = Duration::from_secs(180);
const TASK: &str = "Fix the failing test.";
const DONE: &str = "I am done.";

/// One play: its letter, what it shows, and how it is done.
pub struct Play {
    pub letter: &'static str,
    pub what: &'static str,
    pub perform: fn(&Scene) -> Result<(), Failure>,
}

pub const PLAYS: &[Play] = &[
    Play {
        letter: "a",
        what: "wrong fix, blocked with the reason in the model's input, right fix, allowed",
        perform: wrong_then_right,
    },
    Play {
        letter: "b",
        what: "one that never gives in: escalated at the bound, and the agent ends",
        perform: never_gives_in,
    },
    Play {
        letter: "c",
        what: "the hook is killed in the middle: not let through at the next stop",
        perform: hook_killed,
    },
    Play {
        letter: "d",
        what: "`redgreen run --agent`: wrong fix, right fix, passed",
        perform: run_through_the_loop,
    },
    Play {
        letter: "e",
        what: "after a block the same file is written again, without being read anew: not refused",
        perform: writes_again,
    },
    Play {
        letter: "f",
        what: "a loop of one's own, without a hook: a lie and a wrong fix do not count, a right one does",
        perform: loop_of_ones_own,
    },
    Play {
        letter: "g",
        what: "the block asks why it is red: the agent hands in an analysis, and it is the one that counts",
        perform: says_why,
    },
];

/// An agent in a place of its own, with a model of its own.
pub struct Scene<'play> {
    agent: &'play Agent,
    redgreen: &'play Path,
    place: Place,
    model: Model,
    environment: Vec<(&'static str, String)>,
}

impl<'play> Scene<'play> {
    /// A new one.
    pub fn set(agent: &'play Agent, redgreen: &'play Path, letter: &str) -> Result<Self, Failure> {
        let place = Place::new(folder().join("plays").join(agent.name).join(letter), agent)?;
        let model = Model::start(&place.project(), &place.folder.join("model.jsonl"))?;
        let (home, project) = (place.home(), place.project());
        let stage = Stage { home: &home, project: &project, address: model.address() };
        let environment = agent.settle(&stage)?;
        Ok(Self { agent, redgreen, place, model, environment })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.place.folder.join(name)
    }

    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = self.place.command(program);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs redgreen, and returns its exit code.
    fn redgreen(&self, words: &[&str], log: &str) -> Result<Option<i32>, Failure> {
        process::run(self.command(self.redgreen).args(words), &self.file(log), LIMIT, || {})
    }

    /// Puts the gate into the agent's settings, as a person would.
    fn install(&self) -> Result<(), Failure> {
        // `script` is a terminal: nobody else is believed to be a person.
        let trust = format!("'{}' trust", self.redgreen.display());
        let mut at_terminal = self.command("script");
        at_terminal.args(["-qec", &trust, "/dev/null"]);
        let code = process::run(&mut at_terminal, &self.file("trust.log"), LIMIT, || {})?;
        expect(code == Some(0), || format!("`redgreen trust`: {code:?}"))?;
        if matches!(self.agent.gate, Gate::Hooks) {
            let install = ["hooks", "install", self.agent.name];
            let code = self.redgreen(&install, "install.log")?;
            expect(code == Some(0), || format!("`redgreen {}`: {code:?}", install.join(" ")))?;
        }
        self.place.commit()
    }

    /// Lets the agent do the task with a model that plays these turns.
    fn act(
        &self,
        turns: impl IntoIterator<Item = Turn>,
        log: &str,
        again: bool,
        meanwhile: impl FnMut(),
    ) -> Result<Vec<String>, Failure> {
        self.model.play(Scenario { turns: turns.into_iter().collect(), then: DONE });
        let mut command = self.command(self.agent.programs().join(self.agent.name));
        command.args(self.agent.ask(TASK, again));
        if let Gate::TestCommand(flags) = self.agent.gate {
            command.args(flags).arg(format!("'{}' gate", self.redgreen.display()));
        }
        let code = process::run(&mut command, &self.file(log), LIMIT, meanwhile)?;
        expect(code == Some(0), || format!("{} ended with {code:?}", self.agent.name))?;
        Ok(self.model.heard())
    }

    /// Whether a person may return the tree that is there.
    fn is_allowed(&self) -> Result<bool, Failure> {
        Ok(self.redgreen(&["gate"], "gate.log")? == Some(0))
    }

    /// Expects that the gate's last decision was this one. Of a test command it keeps no log.
    fn expect_decided(&self, what: &str) -> Result<(), Failure> {
        if matches!(self.agent.gate, Gate::TestCommand(_)) {
            return Ok(());
        }
        let log = fs::read_to_string(self.place.project().join(".redgreen/gate.jsonl"));
        let last = log.unwrap_or_default().lines().last().unwrap_or_default().to_owned();
        let is_so = serde_json::from_str(&last).is_ok_and(|line: Value| line["what"] == what);
        expect(is_so, || format!("the gate's last decision is not {what}, but {last}"))
    }

    fn expect_fixed(&self) -> Result<(), Failure> {
        let content = fs::read_to_string(self.place.project().join(FILE)).unwrap_or_default();
        expect(content == RIGHT, || format!("{FILE} is not mended"))?;
        self.expect_decided("allowed")?;
        expect(self.is_allowed()?, || "the mended tree is not allowed".into())
    }
}

/// Reads before it writes, as agents insist.
fn fix(content: &'static str) -> [Turn; 4] {
    let look = Turn::Run("git diff --stat");
    [Turn::Read(FILE), Turn::Write(FILE, content), look, Turn::Say(DONE)]
}

fn expect(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Failure> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// How often the model heard which test is red: nobody but redgreen says so. What earlier sessions saw
/// is not counted.
fn blocks(heard: &[String]) -> usize {
    heard.iter().filter(|heard| without_brief(heard).contains(TEST)).count()
}

/// What it heard, without what the debug memory said when the work began.
fn without_brief(heard: &str) -> String {
    let Some((before, brief)) = heard.split_once("## Known before you begin") else {
        return heard.to_owned();
    };
    let fenced = brief.split_once("```text\n").and_then(|(_, fenced)| fenced.split_once("\n```"));
    format!("{before}{}", fenced.map_or("", |(_, after)| after))
}

fn wrong_then_right(scene: &Scene) -> Result<(), Failure> {
    scene.install()?;
    let heard = scene.act(fix(WRONG).into_iter().chain(fix(RIGHT)), "agent.log", false, || {})?;
    expect(blocks(&heard) == 1, || format!("the model heard of it {} times", blocks(&heard)))?;
    scene.expect_fixed()
}

/// Agents refuse to write a file that was touched since they read it.
fn writes_again(scene: &Scene) -> Result<(), Failure> {
    scene.install()?;
    let again = [Turn::Write(FILE, RIGHT), Turn::Say(DONE)];
    let heard = scene.act(fix(WRONG).into_iter().chain(again), "agent.log", false, || {})?;
    expect(blocks(&heard) == 1, || format!("the model heard of it {} times", blocks(&heard)))?;
    scene.expect_fixed()
}

/// What an agent hands in because the block asks for it.
const WHY: &str = "the operands are combined by the wrong operation";

fn says_why(scene: &Scene) -> Result<(), Failure> {
    scene.install()?;
    if matches!(scene.agent.gate, Gate::TestCommand(_)) {
        return Ok(()); // Nobody holds it, so nobody asks it.
    }
    let analyse = Turn::Run(
        "redgreen analyse --cause 'the operands are combined by the wrong operation' --fix 'combine both operands as the test wants' --place calc.py:2",
    );
    let turns = fix(WRONG).into_iter().chain([analyse]).chain(fix(RIGHT));
    let heard = scene.act(turns, "agent.log", false, || {})?;
    expect(heard.iter().any(|heard| heard.contains("redgreen analyse --cause")), || {
        "the block does not ask for an analysis".into()
    })?;
    let sessions = fs::read_dir(scene.place.project().join(".redgreen/sessions"));
    let events = sessions.into_iter().flatten().flatten().map(|it| it.path().join("events.jsonl"));
    let mut accepted = events.flat_map(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let counts = |line: String| line.contains("analysis_accepted") && line.contains(WHY);
    expect(accepted.any(counts), || "its analysis is not the one that counts".into())?;
    scene.expect_fixed()
}

fn never_gives_in(scene: &Scene) -> Result<(), Failure> {
    scene.install()?;
    let heard = scene.act(fix(WRONG), "agent.log", false, || {})?;
    let blocks = blocks(&heard);
    expect((1..=ATTEMPTS).contains(&blocks), || format!("the model heard of it {blocks} times"))?;
    scene.expect_decided("let_go")?;
    expect(!scene.is_allowed()?, || "a person may return the tree".into())
}

fn hook_killed(scene: &Scene) -> Result<(), Failure> {
    scene.install()?;
    scene.place.ask_to_hang()?;
    let mut killed = 0;
    // Some let the agent go without a word from the hook. One that holds it asks again.
    let held = fix(WRONG).into_iter().chain([Turn::Say(DONE)]).chain(fix(RIGHT));
    let heard = scene.act(held, "killed.log", false, || {
        if killed == 0 && scene.place.hangs() {
            killed = kill_gates(scene.redgreen, &scene.place.project());
            scene.place.go_on();
        }
    })?;
    expect(killed > 0, || "there was no hook to kill".into())?;
    if blocks(&heard) > 0 {
        return scene.expect_fixed();
    }
    expect(!scene.is_allowed()?, || "a person may return the tree".into())?;
    // The same tree, and the agent says again that it is done; a test command needs an edit.
    let again = match scene.agent.gate {
        Gate::Hooks => vec![Turn::Say(DONE)],
        Gate::TestCommand(_) => vec![Turn::Write(FILE, ALSO_WRONG), Turn::Say(DONE)],
    };
    let heard = scene.act(again.into_iter().chain(fix(RIGHT)), "agent.log", true, || {})?;
    expect(blocks(&heard) == 1, || format!("the model heard of it {} times", blocks(&heard)))?;
    scene.expect_fixed()
}

/// Kills every gate that is at work in a project, and says how many there were.
fn kill_gates(redgreen: &Path, project: &Path) -> usize {
    let is_gate = |process: &PathBuf| {
        let here = fs::read_link(process.join("cwd")).is_ok_and(|folder| folder == project);
        let words = fs::read(process.join("cmdline")).unwrap_or_default();
        let has = |wanted: &[u8]| words.split(|byte| *byte == 0).any(|word| word == wanted);
        here && has(redgreen.as_os_str().as_bytes()) && has(b"gate")
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
    let gates: Vec<PathBuf> = processes.filter(is_gate).collect();
    let numbers = gates.iter().filter_map(|gate| gate.file_name()?.to_str());
    numbers.map(process::kill).count()
}

fn run_through_the_loop(scene: &Scene) -> Result<(), Failure> {
    // The hook is there, and lets go: the loop judges.
    scene.install()?;
    let turns = fix(WRONG).into_iter().chain(fix(RIGHT)).collect();
    scene.model.play(Scenario { turns, then: "Nothing is left to do." });
    let code = scene.redgreen(&["run", "--agent", scene.agent.name, TASK], "run.log")?;
    expect(code == Some(0), || format!("redgreen ended with {code:?}"))?;
    let heard = scene.model.heard();
    expect(heard.iter().any(|heard| heard.contains(TASK)), || {
        "the model did not hear the task".into()
    })?;
    // Before the first attempt, and after it.
    expect(blocks(&heard) == 2, || format!("the model heard of it {} times", blocks(&heard)))
}

fn loop_of_ones_own(scene: &Scene) -> Result<(), Failure> {
    scene.place.commit()?;
    let lie = vec![Turn::Say("I ran all tests, and they pass.")];
    let iterations = [(lie, false), (fix(WRONG).into(), false), (fix(RIGHT).into(), true)];
    for (index, (turns, counts)) in iterations.into_iter().enumerate() {
        let number = (index + 1).to_string();
        scene.act(turns, &format!("agent-{number}.log"), false, || {})?;
        let ask = ["gate", "--iteration", &number, "--loop", "own"];
        let code = scene.redgreen(&ask, &format!("iteration-{number}.log"))?;
        let wanted = Some(i32::from(!counts));
        expect(code == wanted, || format!("iteration {number}: {code:?}, not {wanted:?}"))?;
    }
    Ok(())
}
