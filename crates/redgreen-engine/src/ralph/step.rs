//! One input in, the next state out; what is to be done is the state's pending action.

use super::input::{Bounds, Input, IterationResult, Outcome, Rules, Stamped, Tests};
use super::own;
use super::state::Spent;
use super::state::{Action, EndReason, Green, ItemState, Iteration, Pending, Standing, State};

/// Takes one input. One that does not answer what is waited for changes nothing.
pub fn step(mut state: State, stamped: &Stamped) -> State {
    match &stamped.input {
        Input::Began { rules, tree, head } if state.rules.is_none() => {
            state.green = Green { tree: tree.clone(), head: head.clone(), tests: Tests::default() };
            state.begin(rules);
        }
        Input::Opened { id, session } => {
            if let Some(Pending { id: waited, action: Action::Iterate { session: opened, .. } }) =
                &mut state.pending
                && waited == id
            {
                *opened = Some(session.clone());
            }
        }
        Input::Iterated { id, result } => {
            if let Some(Action::Iterate { item, number, .. }) = state.answered(*id, is_iterate) {
                state.iterated(item, number, result, &stamped.at);
            }
        }
        Input::Committed { id, commit } => {
            if let Some(Action::Commit { item, tree, .. }) = state.answered(*id, is_commit) {
                state.green.head.commit = Some(commit.clone());
                if let Some(item) = state.items.get_mut(item) {
                    item.commit = Some(commit.clone());
                }
                state.done_with(item, tree);
            }
        }
        Input::PutBack { id, .. }
            if state.answered(*id, |action| *action == Action::PutBack).is_some() =>
        {
            state.go_on();
        }
        Input::PutBack { .. } => {}
        Input::Called { id, tree } => {
            if let Some(Action::Call { item }) = state.answered(*id, is_call) {
                if let Some(item) = state.items.get_mut(item) {
                    item.called = true;
                }
                if let Some(tree) = tree {
                    state.green.tree = tree.clone();
                }
                state.go_on();
            }
        }
        Input::Ended { by } if state.rules.is_some() && state.end.is_none() => {
            state.end = Some(EndReason::Person);
            state.ended_by.clone_from(by);
            match state.pending.as_ref().map(|pending| &pending.action) {
                // What was in the middle of being done is no result.
                Some(Action::Iterate { .. }) => state.perform(Action::PutBack),
                Some(_) => {}
                None => state.go_on(),
            }
        }
        Input::TakenUp { tree, head } if state.ended() => {
            let tests =
                if state.green.tree == *tree { state.green.tests } else { Tests::default() };
            state.green = Green { tree: tree.clone(), head: head.clone(), tests };
            state.take_up();
        }
        Input::Claimed { number, allowed, why, tree, tests } => {
            own::claimed(&mut state, (*number, *allowed), why, tree, *tests, &stamped.at);
        }
        _ => {}
    }
    state
}

/// The state after all of these inputs.
pub fn fold<'inputs>(inputs: impl IntoIterator<Item = &'inputs Stamped>) -> State {
    inputs.into_iter().fold(State::default(), step)
}

fn is_iterate(action: &Action) -> bool {
    matches!(action, Action::Iterate { .. })
}

fn is_commit(action: &Action) -> bool {
    matches!(action, Action::Commit { .. })
}

fn is_call(action: &Action) -> bool {
    matches!(action, Action::Call { .. })
}

impl State {
    fn begin(&mut self, rules: &Rules) {
        let standing = |done| if done { Standing::Done } else { Standing::Open };
        self.items = rules
            .items
            .iter()
            .map(|item| ItemState { standing: standing(item.done), ..ItemState::default() })
            .collect();
        self.rules = Some(rules.clone());
        self.go_on();
    }

    fn answered(&mut self, id: u64, is_it: impl Fn(&Action) -> bool) -> Option<Action> {
        let is_waited_for = |pending: &Pending| pending.id == id && is_it(&pending.action);
        self.pending.take_if(|pending| is_waited_for(pending)).map(|pending| pending.action)
    }

    fn perform(&mut self, action: Action) {
        self.next_id += 1;
        self.pending = Some(Pending { id: self.next_id, action });
    }

    fn bounds(&self) -> Bounds {
        self.rules.as_ref().map(|rules| rules.bounds.clone()).unwrap_or_default()
    }

    fn iterated(&mut self, item: usize, number: u32, result: &IterationResult, at: &str) {
        let is_done = result.is_done();
        let more = result.after.passed > self.most_passed;
        // What was there before the first iteration is no gain of it.
        let is_gain = is_done || more && result.after.passed > result.before.passed;
        self.most_passed = self.most_passed.max(result.before.passed).max(result.after.passed);
        let is_charged = result.outcome != Outcome::ToolingError;
        if is_charged {
            self.without_gain = if is_gain { 0 } else { self.without_gain.saturating_add(1) };
        }
        self.spent.add(result);
        self.iterations.push(Iteration {
            number,
            item: Some(item),
            result: result.clone(),
            counts: is_done,
            gained: is_gain,
            at: at.to_owned(),
        });
        let tries = self.bounds().tries.max(1);
        if is_done {
            self.green.tests = result.after;
            let commits = self.rules.as_ref().is_some_and(|rules| rules.commit);
            let tree = result.tree.clone();
            return match commits && tree != self.green.tree {
                true => self.perform(Action::Commit { item, tree, at: at.to_owned() }),
                false => self.done_with(item, tree),
            };
        }
        self.green.tests = result.before;
        if is_charged && let Some(item) = self.items.get_mut(item) {
            item.tries += 1;
            if item.tries >= tries {
                item.standing = Standing::Escalated;
            }
        }
        if !is_charged {
            self.end = Some(EndReason::ToolingError);
        }
        self.perform(Action::PutBack);
    }

    fn done_with(&mut self, item: usize, tree: redgreen_model::tree::TreeHash) {
        self.green.tree = tree;
        if let Some(item) = self.items.get_mut(item) {
            item.standing = Standing::Done;
        }
        self.go_on();
    }

    /// What is next: people who have to hear of something, the end, or the next item.
    fn go_on(&mut self) {
        let is_own = self.rules.as_ref().is_some_and(|rules| rules.items.is_empty());
        if is_own {
            return;
        }
        if self.end.is_none() {
            self.end = self.reason_to_end();
        }
        // An item that was tried and that nobody will try again is a person's, too.
        if self.end.is_some_and(|end| end != EndReason::ToolingError) {
            for item in self.items.iter_mut().filter(|item| item.standing == Standing::Open) {
                if item.tries > 0 {
                    item.standing = Standing::Escalated;
                }
            }
        }
        let uncalled = |item: &ItemState| item.standing == Standing::Escalated && !item.called;
        if let Some(item) = self.items.iter().position(uncalled) {
            return self.perform(Action::Call { item });
        }
        if self.end.is_some() {
            return;
        }
        // What was tried least comes first; of equals, what the plan has first.
        let open = self.items.iter().enumerate();
        let open = open.filter(|(_, item)| item.standing == Standing::Open);
        if let Some((item, _)) = open.min_by_key(|(_, item)| item.tries) {
            let number = u32::try_from(self.iterations.len()).unwrap_or(u32::MAX).saturating_add(1);
            self.perform(Action::Iterate { item, number, session: None });
        }
    }

    fn reason_to_end(&self) -> Option<EndReason> {
        let (bounds, spent) = (self.bounds(), &self.spent);
        let budget = &bounds.budget;
        let is_open = |item: &ItemState| item.standing == Standing::Open;
        if self.items.iter().all(|item| item.standing == Standing::Done) {
            Some(EndReason::Complete)
        } else if !self.items.iter().any(is_open) {
            Some(EndReason::Escalated)
        } else if bounds.iterations.is_some_and(|most| spent.iterations >= most) {
            Some(EndReason::MaxIterations)
        } else if budget.seconds.is_some_and(|most| spent.seconds >= most) {
            Some(EndReason::Time)
        } else if budget.attempts.is_some_and(|most| spent.attempts >= most) {
            Some(EndReason::Attempts)
        } else if budget.cost_micros.is_some_and(|most| spent.cost_micros >= most) {
            Some(EndReason::Cost)
        } else if self.without_gain >= bounds.patience.max(1) {
            Some(EndReason::NoGain)
        } else {
            None
        }
    }

    fn take_up(&mut self) {
        self.end = None;
        self.ended_by = String::new();
        self.spent = Spent::default();
        self.without_gain = 0;
        for item in self.items.iter_mut().filter(|item| item.standing != Standing::Done) {
            *item = ItemState::default();
        }
        self.go_on();
    }
}
