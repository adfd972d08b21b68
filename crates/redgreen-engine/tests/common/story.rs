//! A loop that is given one thing after another. Every method answers the pending action and says
//! so loudly if another one is pending.

use redgreen_engine::effect::{Action, AgentRequest, Ask, Effect};
use redgreen_engine::input::{
    AgentOutcome, AgentResult, Input, PersonsWord, Settings, Stamped, Weight,
};
use redgreen_engine::state::State;
use redgreen_engine::{fold, step};
use redgreen_model::analysis::ProposedAnalysis;
use redgreen_model::event::Event;
use redgreen_model::execution::{Purpose, TestId};
use redgreen_model::known::KnownTest;
use redgreen_model::square::{Declaration, SquareFacts, Waiver};
use redgreen_model::tree::{FileChange, FileRole, TreeState};
use redgreen_model::verdict::{StopReason, TestClasses, Verdict};
use redgreen_model::workflow::{LoopStatus, Phase};

use super::run::Run;
use super::{change, corners, id, tree};

pub struct Story {
    pub state: State,
    pub events: Vec<Event>,
    pub inputs: Vec<Stamped>,
    pub here: TreeState,
    /// The tests next to what the agent changes.
    pub near: Vec<TestId>,
    /// Whether corners of a run that is not green are given by the test itself.
    pub asks_for_corners: bool,
    /// Where the change adds what looks like a secret.
    pub secrets: Vec<String>,
    /// What a person knows to be red as the agent ends.
    pub lists: Option<Vec<KnownTest>>,
    executions: u64,
}

impl Story {
    pub fn begin(settings: Settings) -> Self {
        let mut story = Self {
            state: State::new(),
            events: Vec::new(),
            inputs: Vec::new(),
            here: tree("start"),
            near: Vec::new(),
            asks_for_corners: false,
            lists: None,
            secrets: Vec::new(),
            executions: 0,
        };
        story.tell(Input::Started { settings: Box::new(settings), tree: tree("start") });
        story
    }

    /// A loop whose baseline was this.
    pub fn after(settings: Settings, baseline: Run) -> Self {
        let mut story = Self::begin(settings);
        story.runs(baseline);
        story
    }

    /// Any input, wanted or not.
    pub fn tell(&mut self, input: Input) -> Vec<Effect> {
        let minute = self.inputs.len();
        let at = format!("2026-11-15T{:02}:{:02}:00Z", minute / 60, minute % 60);
        let stamped = Stamped { at, input };
        let next = step(std::mem::take(&mut self.state), &stamped);
        self.state = next.state;
        self.events.extend(next.effects.iter().filter_map(|effect| match effect {
            Effect::Announce(event) => Some(event.clone()),
            Effect::Perform(_) => None,
        }));
        self.inputs.push(stamped);
        next.effects
    }

    pub fn pending_id(&self) -> u64 {
        self.state.pending.as_ref().map_or(0, |pending| pending.id)
    }

    pub fn action(&self) -> &Action {
        match &self.state.pending {
            Some(pending) => &pending.action,
            None => panic!("nothing is pending: {:?} {:?}", self.state.phase, self.state.stop),
        }
    }

    pub fn execution(&self) -> (Purpose, Vec<TestId>) {
        match self.action() {
            Action::Execute { purpose, only, .. } => (*purpose, only.clone()),
            other => panic!("not an execution: {other:?}"),
        }
    }

    /// The checks run, for whatever purpose they are wanted.
    pub fn runs(&mut self, run: Run) -> &mut Self {
        let (purpose, only) = self.execution();
        assert_eq!(matches!(purpose, Purpose::Confirm | Purpose::First), !only.is_empty());
        self.executions += 1;
        let execution = run.execution(self.executions, purpose, &self.here);
        self.here = execution.after.clone();
        self.tell(Input::Executed { id: self.pending_id(), execution: Box::new(execution) });
        self.reaches_the_change()
    }

    /// What is red as it was before may have nothing to do with the change: here it has, unless a test says
    /// otherwise.
    fn reaches_the_change(&mut self) -> &mut Self {
        let red = self.state.last_judged().is_some_and(|judged| !judged.red.is_empty());
        let asked =
            matches!(&self.state.pending, Some(it) if matches!(it.action, Action::Square { .. }));
        if red && asked && !self.asks_for_corners { self.squares() } else { self }
    }

    /// The suspects are these, and run once more.
    pub fn reruns(&mut self, suspects: &[&str], run: Run) -> &mut Self {
        let wanted: Vec<TestId> = suspects.iter().map(|test| id(test)).collect();
        assert_eq!(self.execution(), (Purpose::Confirm, wanted));
        self.runs(run)
    }

    /// These tests run before the others.
    pub fn runs_first(&mut self, tests: &[&str], run: Run) -> &mut Self {
        let wanted: Vec<TestId> = tests.iter().map(|test| id(test)).collect();
        assert_eq!(self.execution(), (Purpose::First, wanted));
        self.runs(run)
    }

    /// All of the suite runs.
    pub fn runs_all(&mut self, run: Run) -> &mut Self {
        assert_eq!(self.execution(), (Purpose::Judge, Vec::new()));
        self.runs(run)
    }

    pub fn asked_to_confirm(&self) -> bool {
        matches!(&self.state.pending, Some(it) if matches!(it.action, Action::Execute { purpose: Purpose::Confirm, .. }))
    }

    /// The checks run, and their suspects run once more with the same outcome.
    pub fn runs_twice(&mut self, run: Run) -> &mut Self {
        self.runs(run.clone());
        assert_eq!(self.execution().0, Purpose::Confirm);
        self.runs(run)
    }

    pub fn request(&self) -> &AgentRequest {
        match self.action() {
            Action::AskAgent(request) => request,
            other => panic!("the agent is not asked: {other:?}"),
        }
    }

    pub fn asked(&self) -> bool {
        matches!(self.action(), Action::AskAgent(_))
    }

    pub fn asked_for_fix(&self) -> bool {
        matches!(self.request().ask, Ask::Fix(_))
    }

    /// The agent changes code and ends well.
    pub fn edits(&mut self, name: &str) -> &mut Self {
        self.agent(AgentOutcome::Finished, name, vec![change("src/a.py", FileRole::Code)], None)
    }

    pub fn edits_with(&mut self, name: &str, analysis: ProposedAnalysis) -> &mut Self {
        let changes = vec![change("src/a.py", FileRole::Code)];
        self.agent(AgentOutcome::Finished, name, changes, Some(analysis))
    }

    pub fn agent(
        &mut self,
        outcome: AgentOutcome,
        name: &str,
        changes: Vec<FileChange>,
        analysis: Option<ProposedAnalysis>,
    ) -> &mut Self {
        // What differs in by-products alone can change nothing.
        let same = self.request().tree.code == tree(name).code;
        let weight = if same { Weight::Nothing } else { Weight::Runs };
        self.here = tree(name);
        let result = AgentResult {
            said: String::new(),
            diff: String::new(),
            near: self.near.clone(),
            outcome,
            tree: self.here.clone(),
            changes,
            weight,
            analysis,
            declared: Vec::new(),
            waived: Vec::new(),
            known: self.lists.clone(),
            secrets: self.secrets.clone(),
            answer: String::new(),
            log: ".redgreen/agent.log".to_owned(),
            duration_ms: 5,
            cost_micros: 0,
        };
        self.tell(Input::AgentEnded { id: self.pending_id(), result: Box::new(result) });
        self
    }

    /// The person who is asked says this.
    pub fn says(&mut self, word: PersonsWord) -> &mut Self {
        assert!(self.state.asks_before().is_some(), "{:?}", self.action());
        self.tell(Input::PersonSaid { id: self.pending_id(), word });
        self
    }

    /// Whoever is asked for words says this.
    pub fn answers(&mut self, answer: &str) -> &mut Self {
        let here = self.here.tree.0.clone();
        self.answers_from(AgentOutcome::Finished, answer, &here)
    }

    /// The same, ending in some way, and leaving this tree.
    pub fn answers_from(&mut self, outcome: AgentOutcome, answer: &str, name: &str) -> &mut Self {
        assert!(!self.request().ask.is_edit());
        self.here = tree(name);
        let result = AgentResult {
            answer: answer.to_owned(),
            outcome,
            tree: self.here.clone(),
            ..self.nothing()
        };
        self.tell(Input::AgentEnded { id: self.pending_id(), result: Box::new(result) });
        self
    }

    fn nothing(&self) -> AgentResult {
        AgentResult {
            said: String::new(),
            diff: String::new(),
            near: Vec::new(),
            outcome: AgentOutcome::Finished,
            tree: self.here.clone(),
            changes: Vec::new(),
            weight: Weight::Nothing,
            analysis: None,
            declared: Vec::new(),
            waived: Vec::new(),
            known: None,
            secrets: Vec::new(),
            answer: String::new(),
            log: String::new(),
            duration_ms: 5,
            cost_micros: 0,
        }
    }

    /// The agent edits nothing, and owns these changed expectations.
    pub fn declares(&mut self, declared: Vec<Declaration>) -> &mut Self {
        self.owns(declared, Vec::new())
    }

    /// The agent edits nothing, and a person has accepted these findings.
    pub fn waives(&mut self, waived: Vec<Waiver>) -> &mut Self {
        self.owns(Vec::new(), waived)
    }

    fn owns(&mut self, declared: Vec<Declaration>, waived: Vec<Waiver>) -> &mut Self {
        self.request();
        let result = AgentResult {
            said: String::new(),
            diff: String::new(),
            near: Vec::new(),
            outcome: AgentOutcome::Finished,
            tree: self.here.clone(),
            changes: Vec::new(),
            weight: Weight::Nothing,
            analysis: None,
            declared,
            waived,
            known: None,
            secrets: Vec::new(),
            answer: String::new(),
            log: ".redgreen/agent.log".to_owned(),
            duration_ms: 5,
            cost_micros: 0,
        };
        self.tell(Input::AgentEnded { id: self.pending_id(), result: Box::new(result) });
        self.reaches_the_change()
    }

    pub fn waits(&mut self, wanted: u64) -> &mut Self {
        let Action::Wait { seconds } = self.action() else { panic!("{:?}", self.action()) };
        assert_eq!(*seconds, wanted);
        self.tell(Input::Waited { id: self.pending_id() });
        self
    }

    pub fn restores(&mut self, wanted: &str) -> &mut Self {
        let Action::Restore { tree: asked, .. } = self.action() else {
            panic!("{:?}", self.action())
        };
        assert_eq!(asked.0, wanted);
        self.here = tree(wanted);
        let saved = "refs/redgreen/saved".to_owned();
        self.tell(Input::Restored { id: self.pending_id(), tree: self.here.clone(), saved });
        self
    }

    /// The run passed, and the corners agree.
    pub fn squares(&mut self) -> &mut Self {
        self.squares_with(corners)
    }

    /// The run passed, and this is seen of the corners.
    pub fn squares_with(
        &mut self,
        facts: impl Fn(&TreeState, &TreeState) -> SquareFacts,
    ) -> &mut Self {
        let Action::Square { base, tree } = self.action() else { panic!("{:?}", self.action()) };
        let facts = Box::new(facts(base, tree));
        self.tell(Input::Squared { id: self.pending_id(), facts });
        self
    }

    /// The tree that passed is looked at once more, and is still there.
    pub fn seals(&mut self) -> &mut Self {
        let now = self.here.clone();
        self.seals_on(now)
    }

    pub fn seals_on(&mut self, now: TreeState) -> &mut Self {
        if matches!(self.action(), Action::Square { .. }) {
            self.squares();
        }
        let Action::Seal { .. } = self.action() else { panic!("{:?}", self.action()) };
        self.here = now.clone();
        self.tell(Input::Sealed { id: self.pending_id(), tree: now });
        self
    }

    pub fn tools_fail(&mut self, problem: &str) -> &mut Self {
        self.tell(Input::Failed { id: self.pending_id(), problem: problem.to_owned() });
        self
    }

    pub fn deadline(&mut self) -> &mut Self {
        self.tell(Input::DeadlinePassed { limit_seconds: 60 });
        self
    }

    /// How it ended; the same state comes of folding the inputs.
    pub fn end(&self) -> (Phase, LoopStatus, Option<StopReason>) {
        assert!(self.state.ended(), "{:?}", self.state.pending);
        assert_eq!(self.state.pending, None);
        assert!(fold(&self.inputs) == self.state, "the fold of the inputs is another state");
        let reason = self.state.stop.as_ref().map(|stop| stop.reason);
        (self.state.phase, self.state.status, reason)
    }

    pub fn passed(&self) {
        assert_eq!(self.end(), (Phase::Complete, LoopStatus::Passed, None));
        assert_eq!(self.state.sealed.as_ref(), Some(&self.here));
    }

    pub fn escalated(&self, reason: StopReason) {
        assert_eq!(self.end(), (Phase::Escalated, LoopStatus::Escalated, Some(reason)));
    }

    pub fn aborted(&self, reason: StopReason) {
        assert_eq!(self.end(), (Phase::Aborted, LoopStatus::Aborted, Some(reason)));
    }

    /// The last verdict that was announced, and its reasons.
    pub fn verdict(&self) -> (Verdict, String) {
        self.events
            .iter()
            .rev()
            .find_map(|event| match event {
                Event::Judged { verdict, reasons, .. } => Some((*verdict, reasons.join("; "))),
                _ => None,
            })
            .unwrap()
    }

    pub fn classes(&self) -> &TestClasses {
        &self.state.last_judged().unwrap().classes
    }

    pub fn detail(&self) -> &str {
        &self.state.stop.as_ref().unwrap().detail
    }
}
