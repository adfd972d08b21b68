//! Every path of small loops, one by one: two tests, a new tree for each attempt, every outcome of
//! runs and re-runs, every kind of agent, a tree that changes at the wrong moment, tools that fail,
//! a deadline at any time.
//!
//! States that behave alike are explored once. What makes them alike is the [`fingerprint`], and
//! that it does is checked too: states that share one must have the same successors.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::io::Write as _;

use crate::common::run::{Run, run, silent};
use crate::common::{at_most, change, corners, id as test_id, known, tampered, tree, unseen};
use redgreen_engine::classes::Judged;
use redgreen_engine::effect::{Action, AgentRequest, Ask};
use redgreen_engine::input::{
    AgentOutcome, AgentResult, Input, PersonsAnswer, PersonsWord, Settings, Stamped, Weight,
};
use redgreen_engine::state::{Attempt, State};
use redgreen_engine::step;
use redgreen_model::analysis::ANALYSIS_CHARS_MIN;
use redgreen_model::config::{AskBefore, Blocks, FailedFirst, HalfEdit, NoAnswer};
use redgreen_model::execution::{Ended, Execution, Purpose, TestId};
use redgreen_model::report::TestOutcome::{Failed, Passed, Skipped};
use redgreen_model::tree::{FileRole, TreeState};
use redgreen_model::verdict::Verdict;
use redgreen_model::workflow::{
    Backoff, CodeType, EscalationAction, EscalationCondition, EscalationTrigger, LoopStatus, Phase,
};

/// How many of the states that were met before are expanded again, to see that nothing differs.
const EXPAND_AGAIN_EVERY: u64 = 20;
/// No path comes near this: where one does, it has no end.
const PATH_STEPS_MAX: u32 = 100;
/// Steps that one attempt can take at most: asked twice, a wait, three full runs with their re-runs,
/// two squares, two looks at the tree, a first stage; and one to put a tree back.
const STEPS_PER_ATTEMPT_MAX: u32 = 13;
/// Steps outside attempts: two runs of the baseline with their re-runs, and a restore.
const STEPS_AROUND_MAX: u32 = 5;

/// What can happen in it.
#[derive(Clone, Copy, Debug)]
struct World {
    tests: usize,
    faults: bool,
    /// The checks write beside the code.
    writes: bool,
    /// The first test is known to be red.
    knows: bool,
    /// Checks reach their limit, and agents add secrets.
    limits: bool,
    /// How often a person lets it go on after its end.
    answers: u32,
}

/// One test, and nothing odd.
const PLAIN: World =
    World { tests: 1, faults: false, writes: false, knows: false, limits: false, answers: 0 };

/// A loop and what the outside knows of it.
struct Node {
    state: State,
    /// The tree as it is.
    here: TreeState,
    /// Every full execution so far, and whether it was green, in the eyes of this test.
    green: Option<TreeState>,
    /// The tree that the last full execution ran on, if it was green, and how many were since the
    /// agent was asked: it goes no further than two.
    ran_on: Option<TreeState>,
    greens: u32,
    asked: u32,
    tools_failed: bool,
    /// How often a person may still let it go on.
    answers: u32,
    /// How many attempts there were when a person last did.
    answered_after: usize,
}

/// What is known of a node once everything after it has been seen.
#[derive(Clone, Copy, Default)]
struct Explored {
    longest: u32,
    paths: u128,
    successors: u64,
}

struct Explorer {
    world: World,
    known: HashMap<u64, Option<Explored>>,
    depth: u32,
    transitions: u64,
    met_again: u64,
    expanded_again: u64,
    ends: BTreeSet<(&'static str, &'static str)>,
}

impl Explorer {
    fn explore(&mut self, node: &mut Node) -> (u64, Explored) {
        let key = fingerprint(node);
        match self.known.get(&key) {
            Some(Some(explored)) => {
                let explored = *explored;
                self.met_again += 1;
                if self.met_again.is_multiple_of(EXPAND_AGAIN_EVERY) && !node.state.ended() {
                    self.expand_again(node, explored);
                }
                return (key, explored);
            }
            Some(None) => panic!("a cycle: {}", describe(node)),
            None => {}
        }
        self.known.insert(key, None);
        self.depth += 1;
        assert!(self.depth < PATH_STEPS_MAX, "a path without an end: {}", describe(node));
        let mut explored = Explored::default();
        if node.state.ended() {
            let reason = node.state.stop.as_ref().map_or("green", |stop| stop.reason.as_str());
            self.ends.insert((node.state.status.as_str(), reason));
            explored.paths = 1;
        }
        let mut keys = Vec::new();
        for mut successor in successors(self.world, node) {
            self.transitions += 1;
            let (key, after) = self.explore(&mut successor);
            keys.push(key);
            explored.longest = explored.longest.max(after.longest + 1);
            explored.paths += after.paths;
        }
        self.depth -= 1;
        explored.successors = hash(&keys);
        self.known.insert(key, Some(explored));
        (key, explored)
    }

    fn expand_again(&mut self, node: &Node, explored: Explored) {
        self.expanded_again += 1;
        let keys: Vec<u64> = successors(self.world, node).iter_mut().map(fingerprint).collect();
        assert_eq!(hash(&keys), explored.successors, "not alike: {}", describe(node));
    }
}

/// Everything that can happen next, each already checked.
fn successors(world: World, node: &Node) -> Vec<Node> {
    let Some(pending) = &node.state.pending else { return answered(node) };
    let id = pending.id;
    let mut next = Vec::new();
    let mut tell = |input: Input, here: TreeState| next.push(after(node, input, here));
    tell(Input::Failed { id, problem: "no".to_owned() }, node.here.clone());
    if !matches!(pending.action, Action::Restore { .. }) {
        tell(Input::DeadlinePassed { limit_seconds: 1 }, node.here.clone());
    }
    match &pending.action {
        Action::Execute { purpose, only, .. } => {
            for run in runs(world, *purpose, only, &node.here) {
                let execution = run.execution(1, *purpose, &node.here);
                let here = execution.after.clone();
                tell(Input::Executed { id, execution: Box::new(execution) }, here);
            }
        }
        Action::AskAgent(request) if !request.ask.is_edit() => {
            let finding = "[{\"severity\": \"error\", \"text\": \"no\"}]";
            let here = &node.here;
            for (answer, tree) in [
                ("[]", here.clone()),
                (finding, here.clone()),
                ("", here.clone()),
                ("[]", tree("somebody's")),
            ] {
                let mut ended = agent_ended(id, AgentOutcome::Finished, &tree, here);
                if let Input::AgentEnded { result, .. } = &mut ended {
                    result.answer = answer.to_owned();
                }
                tell(ended, tree);
            }
            let slow = AgentOutcome::TimedOut { limit_seconds: 1 };
            tell(agent_ended(id, slow, here, here), here.clone());
        }
        Action::AskAgent(request) => {
            for (outcome, tree) in agents(world, node, request) {
                if world.limits && outcome == AgentOutcome::Finished {
                    let mut ended = agent_ended(id, outcome.clone(), &tree, &node.here);
                    if let Input::AgentEnded { result, .. } = &mut ended {
                        result.secrets.push("src/a.py:1".to_owned());
                    }
                    tell(ended, tree.clone());
                }
                tell(agent_ended(id, outcome, &tree, &node.here), tree);
            }
        }
        Action::AskPerson { .. } => {
            let by = || "Ada".to_owned();
            for word in [
                PersonsWord::GoOn { by: by() },
                PersonsWord::Hint { by: by(), text: "look at zero".to_owned() },
                PersonsWord::Stop { by: by(), reason: "no".to_owned() },
                PersonsWord::Nobody { seconds: 1 },
            ] {
                tell(Input::PersonSaid { id, word }, node.here.clone());
            }
        }
        Action::Wait { .. } => tell(Input::Waited { id }, node.here.clone()),
        Action::Restore { tree: wanted, .. } => {
            let tree = tree(&wanted.0);
            tell(Input::Restored { id, tree: tree.clone(), saved: String::new() }, tree);
        }
        Action::Square { base, tree } => {
            for facts in [corners, tampered, unseen] {
                let facts = Box::new(facts(base, tree));
                tell(Input::Squared { id, facts }, node.here.clone());
            }
        }
        Action::Seal { .. } => {
            let edited = world.faults.then(|| tree("somebody's"));
            let notes = world.writes.then(|| tree(&format!("{} notes", code_name(&node.here))));
            for tree in edited.into_iter().chain(notes).chain([node.here.clone()]) {
                tell(Input::Sealed { id, tree: tree.clone() }, tree);
            }
        }
    }
    next
}

/// A person lets it go on, from the tree as it is or as they mended it, with the same bound or one of their own. What
/// needs no answer takes none.
fn answered(node: &Node) -> Vec<Node> {
    let mut next = Vec::new();
    for (attempts, here) in [
        (None, node.here.clone()),
        (None, tree("mended")),
        (Some(1), node.here.clone()),
        (Some(2), tree("mended")),
    ] {
        let answer = PersonsAnswer { by: "Ada".to_owned(), attempts, ..PersonsAnswer::default() };
        let input = Input::Answered { answer: Box::new(answer), tree: here.clone() };
        if !node.state.may_be_answered() {
            let stamped = Stamped { at: String::new(), input };
            assert_eq!(step(node.state.clone(), &stamped).state, node.state);
        } else if node.answers > 0 {
            let before = Node {
                state: node.state.clone(),
                here: node.here.clone(),
                green: None,
                ran_on: None,
                greens: 0,
                tools_failed: false,
                answers: node.answers - 1,
                answered_after: node.state.attempts.len(),
                ..*node
            };
            next.push(after(&before, input, here));
        }
    }
    next
}

/// The tests in every combination of green and red, or the last one gone; with faults also: it is
/// skipped, the process ends early, it is cut off, the tree changes under it. The tools may be
/// missing at any time.
fn runs(world: World, purpose: Purpose, only: &[TestId], here: &TreeState) -> Vec<Run> {
    let full = !matches!(purpose, Purpose::Confirm | Purpose::First);
    let names: Vec<&str> = match only {
        [] => ["t1", "t2"][..world.tests].to_vec(),
        only => only.iter().map(|test| test.test.as_str()).collect(),
    };
    let combinations = 0..(1_u32 << names.len());
    let outcome = |bits: u32, index: usize| if bits >> index & 1 == 0 { Passed } else { Failed };
    let mut all: Vec<Run> = combinations
        .map(|bits| {
            run(names.iter().enumerate().map(|(index, name)| (*name, outcome(bits, index))))
        })
        .collect();
    all.push(silent(127));
    let (last, others) = names.split_last().unwrap();
    let others = || run(others.iter().map(|name| (*name, Passed)));
    if full {
        all.push(others());
    }
    if purpose == Purpose::First {
        all.push(run([]).exit(5));
        all.push(run([(*last, Failed)]).exit(0));
        all.push(run([(*last, Failed)]).unfinished(&["t2"]));
    }
    if world.faults {
        all.push(others().unfinished(&[last]).ended(Ended::Lost));
        if purpose == Purpose::First {
            all.push(run([(*last, Failed)]).leaving("somebody's"));
        }
        if !full {
            all.push(run([(*last, Passed)]).on("somebody's"));
        }
        if full {
            all.push(run([(*last, Skipped)]).and_tests(others()));
            all.push(others().unfinished(&[last]).exit(0));
            all.push(run([(*last, Passed)]).and_tests(others()).leaving("somebody's"));
            all.push(run([(*last, Failed)]).and_tests(others()).leaving("somebody's"));
        }
    }
    if world.limits {
        let limit = Ended::TimedOut { limit_seconds: 1 };
        all.push(others().unfinished(&[last]).ended(limit));
    }
    if world.writes {
        let log = with_a_log(here);
        let green = || run([(*last, Passed)]).and_tests(others());
        all.push(green().leaving(&log));
        if full {
            all.push(run([(*last, Failed)]).and_tests(others()).leaving(&log));
            all.push(Run { rewritten: vec!["src/a.py".to_owned()], ..green() });
        }
    }
    all
}

/// The part of a tree's name that is its code.
fn code_name(here: &TreeState) -> &str {
    here.tree.0.split(' ').next().unwrap()
}

/// A tree with the same code in which the checks have written a log: another one the first two times.
fn with_a_log(here: &TreeState) -> String {
    let written = if here.tree.0.ends_with("log") { "longer" } else { "log" };
    let longest = here.tree.0.ends_with("longer") || here.tree.0.ends_with("longest");
    format!("{} {}", code_name(here), if longest { "longest" } else { written })
}

/// It edits, does nothing, or dies half-way; with faults also: it comes back to the start, dies
/// without an edit, gives up.
fn agents(world: World, node: &Node, request: &AgentRequest) -> Vec<(AgentOutcome, TreeState)> {
    let fresh = tree(&format!("attempt-{}-{}", request.attempt, request.phase()));
    let same = node.here.clone();
    let failed = || AgentOutcome::Failed { how: "no".to_owned() };
    let mut all = vec![
        (AgentOutcome::Finished, fresh.clone()),
        (AgentOutcome::Finished, same.clone()),
        (AgentOutcome::TimedOut { limit_seconds: 1 }, fresh.clone()),
    ];
    if world.faults {
        all.push((AgentOutcome::Finished, tree("start")));
        all.push((failed(), fresh.clone()));
        all.push((failed(), same));
        all.push((AgentOutcome::GaveUp { reason: "stuck".to_owned() }, fresh));
    }
    all
}

fn agent_ended(id: u64, outcome: AgentOutcome, tree: &TreeState, here: &TreeState) -> Input {
    let result = AgentResult {
        said: String::new(),
        diff: String::new(),
        near: ["t1", "t2"].map(test_id).to_vec(),
        outcome,
        tree: tree.clone(),
        changes: vec![change("src/a.py", FileRole::Code)],
        weight: if tree.code == here.code { Weight::Nothing } else { Weight::Runs },
        analysis: None,
        declared: Vec::new(),
        waived: Vec::new(),
        known: None,
        secrets: Vec::new(),
        answer: String::new(),
        log: String::new(),
        duration_ms: 0,
        cost_micros: 0,
    };
    Input::AgentEnded { id, result: Box::new(result) }
}

/// The node after an input, with everything checked that must hold on every path.
fn after(node: &Node, input: Input, here: TreeState) -> Node {
    let stamped = Stamped { at: "2026-11-15T10:00:00Z".to_owned(), input };
    let state = step(node.state.clone(), &stamped).state;
    let (green, ran_on) = (node.green.clone(), node.ran_on.clone());
    let mut next = Node { state, here, green, ran_on, ..*node };
    if let Input::Executed { execution, .. } = &stamped.input {
        next.see(execution);
    }
    if let Some(Action::AskAgent(request)) = next.state.pending.as_ref().map(|p| &p.action) {
        let request = request.clone();
        next.check_request(&request);
    }
    next.check();
    next
}

impl Node {
    fn begin(settings: Settings, answers: u32) -> Self {
        let here = tree("start");
        let started = Input::Started { settings: Box::new(settings), tree: here.clone() };
        let empty = Self {
            state: State::new(),
            here: here.clone(),
            green: None,
            ran_on: None,
            greens: 0,
            asked: 0,
            tools_failed: false,
            answers,
            answered_after: 0,
        };
        after(&empty, started, here)
    }

    fn see(&mut self, execution: &Execution) {
        let run = &execution.checks[0];
        let lost = matches!(run.ended, Ended::Lost);
        self.tools_failed = lost || (run.ended == Ended::Exited { code: 127 });
        if matches!(execution.purpose, Purpose::Confirm | Purpose::First) {
            return;
        }
        let knows = |test: &str| {
            self.state
                .settings
                .as_ref()
                .is_some_and(|it| it.known.iter().any(|known| known.test == test))
        };
        let judged =
            run.report.tests.iter().filter(|test| test.outcome != Failed || !knows(&test.id));
        let outcomes: Vec<_> = judged.map(|test| test.outcome).collect();
        let excused = outcomes.len() < run.report.tests.len();
        let green = run.ended == Ended::Exited { code: i32::from(excused) }
            && run.report.complete
            && (outcomes.contains(&Passed) || excused)
            && !outcomes.contains(&Failed)
            && execution.before.code == execution.after.code
            && execution.rewritten_while_running.is_empty();
        self.green = green.then(|| execution.after.clone());
        self.ran_on = green.then(|| execution.before.clone());
        self.greens = (self.greens + u32::from(green)).min(2);
    }

    fn check_request(&mut self, request: &AgentRequest) {
        if !request.ask.is_edit() {
            return; // That is no attempt, and changes nothing.
        }
        let bound = self.state.max_attempts();
        if !matches!(request.ask, Ask::Tests) {
            self.asked += 1;
        }
        assert_eq!(self.asked, request.attempt);
        let since = &self.state.attempts[self.answered_after..];
        let (charged, spared) = in_round(since, request.senior);
        assert_eq!(charged, request.attempt_in_round);
        assert!(charged <= bound && spared <= bound && since.len() <= 4 * bound as usize);
        assert!(!self.tools_failed, "the agent is asked because the tools failed");
        (self.green, self.ran_on, self.greens) = (None, None, 0);
        let Ask::Fix(analysis) = &request.ask else { return };
        let says = |text: &str| text.trim().chars().count() >= ANALYSIS_CHARS_MIN;
        assert!(says(&analysis.root_cause) && says(&analysis.fix_strategy));
        assert!(!analysis.tests.is_empty() && (0.0..=1.0).contains(&analysis.confidence));
        let judged = self.state.attempts.iter().filter_map(|attempt| attempt.judged.as_ref());
        let failing: BTreeSet<&str> =
            judged.flat_map(|judged| &judged.failures).map(|failure| failure.name()).collect();
        assert!(analysis.tests.iter().all(|test| failing.contains(test.as_str())));
        let settings = self.state.settings.as_ref().unwrap();
        let last = self.state.attempts.iter().rev().nth(1).and_then(|last| last.judged.as_ref());
        let earlier: Vec<&Judged> = self
            .state
            .attempts
            .iter()
            .rev()
            .skip(2)
            .filter_map(|attempt| attempt.judged.as_ref())
            .collect();
        let broken = |test: &TestId| {
            let flaky = |judged: &&Judged| judged.classes.flaky.contains(test);
            let baseline = self.state.baseline.iter().any(|judged| flaky(&judged));
            !baseline
                && !earlier.iter().any(flaky)
                && earlier.iter().any(|judged| judged.green.contains(test))
        };
        let regressed = last.is_some_and(|last| last.classes.regressed.iter().any(broken));
        assert!(
            !(regressed && settings.retry.abort_on_regression) || request.attempt_in_round == 1
        );
    }

    fn check(&self) {
        let state = &self.state;
        if state.status == LoopStatus::Passed && state.sealed.is_none() {
            // Nothing that runs was changed: what was seen before holds.
            let seen = state.last_full().unwrap();
            assert_eq!((seen.verdict, &seen.tree().code), (Verdict::Passed, &self.here.code));
        } else if state.status == LoopStatus::Passed {
            let sealed = state.sealed.as_ref().unwrap();
            assert_eq!(self.green.as_ref().map(|tree| &tree.code), Some(&sealed.code));
            assert_eq!(sealed.code, self.here.code);
            assert_eq!(Some(sealed), self.ran_on.as_ref(), "sealed and never run");
            let same = *sealed == self.here;
            assert!(same || self.greens > 1, "what the checks left was never run");
            assert_eq!(state.last_judged().unwrap().verdict, Verdict::Passed);
        } else if state.phase == Phase::Complete {
            // Nothing else than what is known is red, and that did not pass meanwhile.
            assert!(state.is_but_for_known());
            let sealed = state.sealed.as_ref().unwrap();
            assert_eq!(self.green.as_ref().map(|tree| &tree.code), Some(&sealed.code));
            assert_eq!((&sealed.code, Some(sealed)), (&self.here.code, self.ran_on.as_ref()));
            let judged = state.last_judged().unwrap();
            let t1 = test_id("t1");
            assert!(judged.failures.is_empty() && judged.red.iter().all(|test| *test == t1));
            let judged = || state.attempts.iter().filter_map(|attempt| attempt.judged.as_ref());
            let passed = judged().any(|judged| judged.green.contains(&t1));
            let flaky = judged().any(|judged| judged.classes.flaky.contains(&t1));
            assert!(!passed || flaky, "it came back");
        }
        if let Some(Action::Seal { tree }) = state.pending.as_ref().map(|pending| &pending.action) {
            assert_eq!(self.green.as_ref(), Some(tree), "a seal without green");
            let square = state.attempts.last().and_then(|attempt| attempt.square.as_ref());
            assert!(
                square.is_some_and(|read| read.square.verdict() == Verdict::Passed),
                "a seal without the corners"
            );
        }
        assert_eq!(state.pending.is_none(), state.ended());
    }
}

/// What the future depends on. Left out is what is only said (prompts, flags, texts of analyses,
/// which are all different because they name their attempt), and of earlier attempts everything but
/// what a restore would choose between. The engine's private fields are in the debug text.
fn fingerprint(node: &mut Node) -> u64 {
    let mut text = String::new();
    if node.state.ended() && !(node.answers > 0 && node.state.may_be_answered()) {
        let reason = node.state.stop.as_ref().map(|stop| stop.reason);
        let _ = write!(text, "{:?}", (node.state.status, reason));
        return hash(&text);
    }
    // What may be excused, and whether a better tree is put back.
    let before = node.state.baseline.as_ref().map(|baseline| &baseline.red);
    let worse = node.state.last_full().map(|full| !full.classes.regressed.is_empty());
    let _ = write!(text, "{before:?}{worse:?}{:?}", node.state.secrets);
    let rules = node.state.settings.as_ref();
    if rules.is_some_and(|rules| rules.failed_first == FailedFirst::Always) {
        // What runs first is chosen by it.
        let red = node.state.last_full().map(|full| &full.red);
        let at_first = node.state.baseline.as_ref().map(|baseline| &baseline.red);
        let attempts = node.state.attempts.iter().map(|it| it.judged.as_ref().map(|it| &it.red));
        let _ = write!(text, "{red:?}{at_first:?}{:?}", attempts.collect::<Vec<_>>());
    }
    let attempts = std::mem::take(&mut node.state.attempts);
    let baseline = node.state.baseline.take();
    let pending = node.state.pending.take();
    let settings = node.state.settings.take();
    let state = &node.state;
    let (last, earlier) = attempts.split_last().map_or((None, &[][..]), |(l, e)| (Some(l), e));
    let sound = |judged: &&Judged| !judged.is_first() && judged.classes.regressed.is_empty();
    let of_attempts = || earlier.iter().filter_map(|attempt| attempt.judged.as_ref());
    let name = |judged: &Judged| (rank(judged), judged.tree().tree.clone());
    // What is put back after a regression, and at the bound.
    let best = of_attempts().rev().chain(&baseline).filter(sound).min_by_key(|it| rank(it));
    let own = of_attempts().rev().filter(sound).min_by_key(|it| rank(it));
    let _ = write!(text, "{:?}{:?}", best.map(name), own.map(name));
    let judged = last.and_then(|last| last.judged.as_ref());
    let regressed = judged.map(|judged| &judged.classes.regressed);
    let again = |judged: &Judged| judged.confirm.as_ref().map(|it| it.after.tree.clone());
    let tree = judged.map(|it| (&it.execution.before.tree, &it.tree().tree, again(it), it.wrote()));
    if matches!(&pending, Some(it) if matches!(it.action, Action::Square { .. })) {
        // What it shows hangs on every test of the run.
        let tests = judged.map(|it| (&it.red, &it.green, &it.classes));
        let _ = write!(text, "{tests:?}");
    }
    if settings.as_ref().is_some_and(|settings| !settings.known.is_empty()) {
        let at_first = baseline.as_ref().map(|it| (it.verdict, &it.classes.known));
        let _ = write!(text, "{at_first:?}{:?}", judged.map(|it| (it.verdict, &it.classes.known)));
    }
    let reviews: Vec<_> = attempts.iter().filter_map(|attempt| attempt.review.as_ref()).collect();
    let _ = write!(text, "{reviews:?}{}", node.state.plan.is_some());
    let first = judged.map(Judged::is_first);
    let _ = write!(text, "{:?}", (judged.map(rank), first, tree, regressed));
    let _ = write!(text, "{:?}", last.map(|last| (&last.before.tree, last.agent.is_some())));
    let analysed = attempts.iter().any(|attempt| attempt.analysis.is_some());
    let stop = state.stop.as_ref().map(|stop| stop.reason);
    let _ = write!(text, "{:?}", (analysed, state.phase, state.status, stop));
    let _ = match pending.as_ref().map(|pending| &pending.action) {
        Some(Action::AskAgent(request)) => {
            write!(text, "{:?}", (request.ask.name(), request.senior, &request.tree.tree))
        }
        other => write!(text, "{other:?}"),
    };
    let private = format!("{state:?}");
    let (_, private) = private.split_once("history: ").unwrap();
    let (before, rest) = private.split_once("seen: {").unwrap();
    let (_, after) = rest.split_once("}, unconfirmed: ").unwrap();
    let _ = write!(text, "{before}{after}");
    let since = &attempts[node.answered_after.min(attempts.len())..];
    let round = in_round(since, attempts.last().is_some_and(|last| last.senior));
    let outside = (&node.here.tree, &node.green, node.asked, round, node.answers);
    let ran = (&node.ran_on, node.greens, node.tools_failed);
    let _ = write!(text, "{outside:?}{ran:?}");
    node.state.attempts = attempts;
    node.state.baseline = baseline;
    node.state.pending = pending;
    node.state.settings = settings;
    hash(&text)
}

/// The attempts of a round that count, and those that do not.
fn in_round(attempts: &[Attempt], senior: bool) -> (u32, u32) {
    let round = attempts.iter().filter(|attempt| attempt.senior == senior);
    round.fold((0, 0), |(charged, spared), attempt| {
        (charged + u32::from(attempt.charged), spared + u32::from(!attempt.charged))
    })
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What a restore chooses by.
fn rank(judged: &Judged) -> (bool, bool, bool, usize) {
    let outside = judged.failures.iter().any(|failure| failure.failure.test.is_none());
    let missing = judged.classes.lost.len() + judged.classes.newly_skipped.len();
    let passed = judged.verdict == Verdict::Passed;
    (!passed, !judged.ran_to_the_end(), outside, judged.failures.len() + missing)
}

fn describe(node: &Node) -> String {
    format!("{:?} {:?} {:?}", node.state.phase, node.state.pending, node.state.attempts.len())
}

fn explore(world: World, settings: Settings) -> (Explorer, Explored) {
    let mut explorer = Explorer {
        world,
        known: HashMap::new(),
        depth: 0,
        transitions: 0,
        met_again: 0,
        expanded_again: 0,
        ends: BTreeSet::new(),
    };
    let (_, explored) = explorer.explore(&mut Node::begin(settings, world.answers));
    (explorer, explored)
}

/// Explores the loops of these bounds (attempts, second agent) in a world, with and without a stop
/// at regressions, and prints how many states and paths there are.
fn check(world: World, bounds: &[(u32, bool)], change: impl Fn(&mut Settings)) {
    let mut ends = BTreeSet::new();
    for (max_attempts, senior) in bounds {
        for abort_on_regression in [true, false] {
            let mut settings = at_most(*max_attempts);
            settings.senior = *senior;
            settings.retry.abort_on_regression = abort_on_regression;
            let conditions = EscalationCondition::ALL.iter().filter(|_| *senior);
            settings.escalation.triggers.extend(conditions.map(|condition| EscalationTrigger {
                condition: *condition,
                action: EscalationAction::SeniorAgent,
                include_in_report: Vec::new(),
            }));
            change(&mut settings);
            settings.known.extend(world.knows.then(|| known("t1")));
            let (explorer, explored) = explore(world, settings);
            // As many again may be spared.
            let attempts = 2 * max_attempts * if *senior { 2 } else { 1 };
            // Not with `println!`: the harness shows that of failed tests only.
            let _ = writeln!(
                std::io::stderr(),
                "{} tests, faults {}, max_attempts {max_attempts}, second agent {senior}, \
                 abort_on_regression {abort_on_regression}: {} states, {} transitions, {} paths, \
                 the longest of {} steps, {} states expanded again",
                world.tests,
                world.faults,
                explorer.known.len(),
                explorer.transitions,
                explored.paths,
                explored.longest,
                explorer.expanded_again,
            );
            assert!(explored.longest <= STEPS_AROUND_MAX + attempts * STEPS_PER_ATTEMPT_MAX);
            ends.extend(explorer.ends);
        }
    }
    for end in [("passed", "green"), ("escalated", "bounded_attempts_exceeded")] {
        assert!(ends.contains(&end), "no path ends so: {end:?}");
    }
    let regression = ("escalated", "regression_detected");
    assert!(ends.contains(&regression), "no path ends with a regression");
}

#[test]
fn two_tests_in_every_combination() {
    let mut bounds = vec![(1, false), (2, false), (3, false), (1, true)];
    // More states than in all others together.
    bounds.extend(std::env::var_os("REDGREEN_ALL").map(|_| (2, true)));
    check(World { tests: 2, ..PLAIN }, &bounds, |_| {});
}

#[test]
fn one_test_and_every_fault() {
    let bounds = [(1, false), (2, false), (3, false), (1, true)];
    check(World { faults: true, ..PLAIN }, &bounds, |_| {});
}

#[test]
fn two_tests_and_every_fault_in_one_attempt() {
    check(World { tests: 2, faults: true, ..PLAIN }, &[(1, false)], |_| {});
}

#[test]
fn tests_asked_for_waits_and_half_edits_that_stay() {
    let bounds = [(2, false), (1, true)];
    check(World { faults: true, ..PLAIN }, &bounds, |settings| {
        settings.code_type = Some(CodeType::NewFunction);
        settings.half_edit = HalfEdit::Keep;
        settings.retry.backoff = Backoff::Linear;
        settings.backoff_base_seconds = 1;
    });
}

#[test]
fn checks_that_write_beside_the_code_and_code_that_is_written_meanwhile() {
    check(World { writes: true, ..PLAIN }, &[(1, false), (2, false)], |_| {});
}

#[test]
fn some_tests_run_before_the_others() {
    // The last attempt of a round has no first stage: one attempt alone would show nothing.
    let always = |settings: &mut Settings| settings.failed_first = FailedFirst::Always;
    let bounds = [(2, false), (3, false)];
    check(World { tests: 2, ..PLAIN }, &bounds, always);
    check(World { faults: true, ..PLAIN }, &[(2, false)], always);
}

#[test]
fn a_test_that_is_known_to_be_red() {
    let world = World { tests: 2, knows: true, ..PLAIN };
    check(world, &[(1, false), (2, false)], |_| {});
    let world = World { faults: true, knows: true, ..PLAIN };
    check(world, &[(1, false), (1, true)], |_| {});
}

#[test]
fn every_case_and_every_action_of_the_policy() {
    let world = World { faults: true, limits: true, ..PLAIN };
    let mut ends = BTreeSet::new();
    for action in EscalationAction::ALL.iter().copied() {
        let max_attempts = if action == EscalationAction::SeniorAgent { 1 } else { 2 };
        let mut settings = at_most(max_attempts);
        settings.senior = true;
        for condition in EscalationCondition::ALL.iter().copied() {
            let include_in_report = Vec::new();
            let trigger = EscalationTrigger { condition, action, include_in_report };
            settings.escalation.triggers.push(trigger);
        }
        let (explorer, explored) = explore(world, settings);
        let rounds = if action == EscalationAction::SeniorAgent { 2 } else { 1 };
        let attempts = 2 * max_attempts * rounds;
        assert!(explored.longest <= STEPS_AROUND_MAX + attempts * STEPS_PER_ATTEMPT_MAX);
        ends.extend(
            explorer.ends.into_iter().map(|(status, reason)| (action.as_str(), status, reason)),
        );
    }
    for (action, status) in [
        (EscalationAction::HumanReview, "escalated"),
        (EscalationAction::SeniorAgent, "escalated"),
        (EscalationAction::AbortWithReport, "aborted"),
    ] {
        for reason in ["timeout_exceeded", "security_issue_found", "bounded_attempts_exceeded"] {
            assert!(ends.contains(&(action.as_str(), status, reason)), "{action} {reason}");
        }
    }
    let flagged = |status, reason| {
        ends.contains(&(EscalationAction::FlagAndContinue.as_str(), status, reason))
    };
    assert!(flagged("failed", "bounded_attempts_exceeded"));
    assert!(!flagged("escalated", "security_issue_found"), "flagged alone ends nothing");
}

#[test]
fn a_planner_and_a_reviewer_whatever_they_do() {
    let world = World { faults: true, ..PLAIN };
    for (max_attempts, senior) in [(1, false), (2, false), (1, true)] {
        let mut settings = at_most(max_attempts);
        settings.senior = senior;
        settings.planner = true;
        settings.reviewer = Some(Blocks::Error);
        let condition = EscalationCondition::MaxAttemptsReached;
        let action = EscalationAction::SeniorAgent;
        let include_in_report = Vec::new();
        settings.escalation.triggers.push(EscalationTrigger {
            condition,
            action,
            include_in_report,
        });
        let (explorer, explored) = explore(world, settings);
        let attempts = 2 * max_attempts * if senior { 2 } else { 1 };
        // Beside all else: a plan, and for each attempt a review and what puts back its edit.
        let bound = STEPS_AROUND_MAX + 1 + attempts * (STEPS_PER_ATTEMPT_MAX + 2);
        assert!(explored.longest <= bound, "{}", explored.longest);
        for end in [("passed", "green"), ("escalated", "bounded_attempts_exceeded")] {
            assert!(explorer.ends.contains(&end), "no path ends so: {end:?}");
        }
    }
}

#[test]
fn people_who_are_asked_before_a_step_whatever_they_say() {
    let world = World { faults: true, ..PLAIN };
    for (max_attempts, on_no_answer) in
        [(1, NoAnswer::Stop), (2, NoAnswer::Stop), (2, NoAnswer::GoOn)]
    {
        let mut settings = at_most(max_attempts);
        settings.ask_before = vec![AskBefore::ApplyFix, AskBefore::Return];
        settings.on_no_answer = on_no_answer;
        let (explorer, explored) = explore(world, settings);
        // Beside all else: each attempt is asked for, and returned twice where somebody edits meanwhile.
        let bound = STEPS_AROUND_MAX + 2 * max_attempts * (STEPS_PER_ATTEMPT_MAX + 3);
        assert!(explored.longest <= bound, "{}", explored.longest);
        for end in
            [("passed", "green"), ("failed", "stopped_by_person"), ("escalated", "person_needed")]
        {
            assert!(explorer.ends.contains(&end), "no path ends so: {end:?}");
        }
    }
}

#[test]
fn people_who_let_it_go_on_whatever_they_give_and_mend() {
    let mut ends = BTreeSet::new();
    for (max_attempts, senior, faults, answers) in
        [(1, false, true, 1), (2, false, false, 1), (1, true, false, 1), (1, false, false, 2)]
    {
        let mut settings = at_most(max_attempts);
        settings.senior = senior;
        let condition = EscalationCondition::MaxAttemptsReached;
        settings.escalation.triggers.extend(senior.then(|| EscalationTrigger {
            condition,
            action: EscalationAction::SeniorAgent,
            include_in_report: Vec::new(),
        }));
        let (explorer, explored) = explore(World { faults, answers, ..PLAIN }, settings);
        let rounds = |bound: u32| 2 * bound * if senior { 2 } else { 1 };
        // The most that a person gives at once is two.
        let attempts = rounds(max_attempts) + answers * rounds(max_attempts.max(2));
        let bound = STEPS_AROUND_MAX * (1 + answers) + attempts * STEPS_PER_ATTEMPT_MAX;
        assert!(explored.longest <= bound, "{} of {bound}", explored.longest);
        ends.extend(explorer.ends);
    }
    for end in [("passed", "green"), ("escalated", "bounded_attempts_exceeded")] {
        assert!(ends.contains(&end), "no path ends so: {end:?}");
    }
}
