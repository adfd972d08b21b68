//! One iteration: the loop of one item.

use redgreen_engine::input::Weight;
use redgreen_engine::ralph::{Input, IterationResult, Outcome, Standing, Tests};
use redgreen_engine::state::State as LoopState;
use redgreen_model::config::{CheckSettings, JudgeBy};
use redgreen_model::event::Event;
use redgreen_model::execution::Execution;
use redgreen_model::framework::FrameworkId;
use redgreen_model::plan_file::Item;
use redgreen_model::text::{LINE_CHARS, clean_line};
use redgreen_model::verdict::{StopReason, Verdict};
use redgreen_model::workflow::LoopStatus;
use uuid::Uuid;

use super::Outer;
use crate::plan::{OuterLink, Plan, PlannedCheck};
use crate::session::Session;
use crate::{RunnerError, clock};

/// Why an item is not done whose loop passed without a run.
const UNSEEN: &str = "nothing that runs was changed, so nothing shows that it is done: give the item a command of its own (`accept: COMMAND`)";
/// What stands before the text that a plan begins with.
const ABOUT: &str = "What the plan says of all its items:";

impl Outer<'_> {
    /// Runs an item's loop to its end, or goes on with it.
    pub(super) fn iterate(
        &mut self,
        id: u64,
        item: usize,
        number: u32,
        session: Option<String>,
    ) -> Result<(), RunnerError> {
        let began = clock::now();
        let begun = session.filter(|session| self.session_folder(session).has_begun());
        let state = match begun {
            Some(session) => {
                Session::resume(self.workspace.clone(), &session, self.tools)?.run()?
            }
            None => {
                let session = Uuid::now_v7().to_string();
                self.record.feed(Input::Opened { id, session: session.clone() })?;
                self.say_item(item, number);
                let plan = self.plan_of(item, number, session);
                Session::start(self.workspace.clone(), plan, self.tools)?.run()?
            }
        };
        let has_own_commands =
            self.rules().items.get(item).is_some_and(|item| !item.accept.is_empty());
        let seconds = clock::seconds_since(&began);
        let green = self.record.state.green.tree.clone();
        let result = result(&state, has_own_commands, seconds, &green);
        self.record.feed(Input::Iterated { id, result: Box::new(result) })
    }

    fn say_item(&self, item: usize, number: u32) {
        let rules = self.rules();
        let task = rules.items.get(item).map(|item| item.title().to_owned()).unwrap_or_default();
        self.events.say(&Event::IterationStarted {
            outer_loop: rules.id,
            iteration: number,
            item: item as u64 + 1,
            items: rules.items.len() as u64,
            task,
        });
    }

    /// The plan of an item's loop: its task and its kind, and as checks its own commands and those of what is done.
    fn plan_of(&self, item: usize, number: u32, session: String) -> Plan {
        let rules = self.rules();
        let mut plan = self.record.template.clone();
        plan.session = session;
        let left = |most: u64| most.saturating_sub(self.record.state.spent.seconds).max(1);
        let limits =
            [plan.config.loop_settings.time_limit_seconds, rules.bounds.budget.seconds.map(left)];
        plan.config.loop_settings.time_limit_seconds = limits.into_iter().flatten().min();
        let standing = self.record.state.items.iter().map(|item| item.standing);
        for (index, (it, standing)) in rules.items.iter().zip(standing).enumerate() {
            if index == item || standing == Standing::Done {
                let more = checks_of(index, it, &plan.checks);
                plan.config.checks.extend(more.iter().map(|check| check.settings.clone()));
                if index == item {
                    plan.accepting = more.iter().map(|check| check.name.clone()).collect();
                }
                plan.checks.extend(more);
            }
        }
        plan.outer = Some(OuterLink {
            id: rules.id.clone(),
            iteration: number,
            pass_rate_weight: rules.bounds.pass_rate_weight,
            has_plan: true,
        });
        if let Some(it) = rules.items.get(item) {
            plan.code_type = it.kind.or(plan.code_type);
            plan.task.clone_from(&it.task);
            // Headings alone are a title, and nothing to know.
            if rules.about.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#')) {
                plan.task.push_str(&format!("\n\n{ABOUT}\n{}", rules.about));
            }
        }
        plan
    }
}

/// The commands of an item as checks. A command whose framework is recognised is judged by its tests, another one by
/// its exit code. What is a check already is not run twice.
fn checks_of(index: usize, item: &Item, there: &[PlannedCheck]) -> Vec<PlannedCheck> {
    let is_new = |command: &&String| there.iter().all(|check| check.settings.command != **command);
    let check = |(number, command): (usize, &String)| {
        let framework = redgreen_frameworks::detect(command);
        let name = match number {
            0 => format!("item-{}", index + 1),
            more => format!("item-{}-{}", index + 1, more + 1),
        };
        let mut settings = CheckSettings::new(command.clone());
        settings.name = Some(name.clone());
        settings.framework = framework;
        settings.judge_by = if framework.is_some() { JudgeBy::Tests } else { JudgeBy::ExitCode };
        // What they need beside, they need as the other checks do.
        if let Some(first) = there.first() {
            settings.environment.clone_from(&first.settings.environment);
            settings.timeout_seconds = first.settings.timeout_seconds;
        }
        PlannedCheck { name, framework: framework.unwrap_or(FrameworkId::OTHER), settings }
    };
    item.accept.iter().filter(is_new).enumerate().map(check).collect()
}

/// What came of an item's loop.
fn result(
    state: &LoopState,
    has_own_commands: bool,
    seconds: u64,
    green: &redgreen_model::tree::TreeHash,
) -> IterationResult {
    let stop = state.stop.as_ref();
    let reason = stop.map(|stop| stop.reason);
    let baseline = state.baseline.as_ref();
    let was_green = baseline.is_some_and(|baseline| baseline.verdict == Verdict::Passed);
    let is_untouched = state.attempts.iter().all(|attempt| attempt.changes.is_empty());
    let is_there =
        has_own_commands && was_green && is_untouched && reason == Some(StopReason::NoProgress);
    // Documents alone, and no command that looks at them: that is the agent's word and nothing else.
    let is_words = state.attempts.iter().all(|attempt| attempt.weight != Weight::Runs);
    let is_unseen = state.status == LoopStatus::Passed && is_words && !has_own_commands;
    let outcome = match (state.status, reason) {
        _ if is_unseen => Outcome::Red { reason: Some(StopReason::NoProgress) },
        (LoopStatus::Passed, _) => Outcome::Passed,
        (_, Some(StopReason::ToolingError)) => Outcome::ToolingError,
        _ if is_there => Outcome::AlreadyThere,
        (_, reason) => Outcome::Red { reason },
    };
    let detail = match &outcome {
        // Nothing was run for it: that is said.
        _ if is_unseen => Some(UNSEEN.to_owned()),
        Outcome::Passed if state.sealed.is_none() => state.flags.last().cloned(),
        Outcome::Passed | Outcome::AlreadyThere => None,
        _ => stop.map(|stop| stop.detail.clone()),
    };
    let before = baseline.map(|judged| tests(&judged.execution)).unwrap_or_default();
    IterationResult {
        session: state.settings.as_ref().map(|it| it.session.clone()).unwrap_or_default(),
        outcome,
        detail: clean_line(&detail.unwrap_or_default(), LINE_CHARS),
        tree: state.tree().map_or_else(|| green.clone(), |tree| tree.tree.clone()),
        before,
        after: state.last_judged().map_or(before, |judged| tests(&judged.execution)),
        attempts: state.attempts_charged(),
        seconds,
        cost_micros: state.cost_micros,
    }
}

/// The tests of an execution.
pub(super) fn tests(execution: &Execution) -> Tests {
    let counts = execution.counts();
    Tests { passed: counts.passed, ran: counts.passed + counts.failed + counts.errors }
}
