//! The outer loop: whatever happens, it ends, and nothing but what was seen to pass is kept.

use proptest::prelude::*;
use redgreen_engine::ralph::{
    Action, Bounds, Budget, Checked, Claim, EndReason, Input, IterationResult, Outcome, Rules,
    Stamped, Standing, State, Tests, claim, fold, step,
};
use redgreen_model::plan_file::Item;
use redgreen_model::tree::TreeHash;
use redgreen_model::verdict::StopReason;

fn stamped(input: Input) -> Stamped {
    Stamped { at: "2026-11-19T10:00:00Z".to_owned(), input }
}

fn tree(name: impl ToString) -> TreeHash {
    TreeHash(name.to_string())
}

fn rules(items: usize, bounds: Bounds, commit: bool) -> Rules {
    let item =
        |line| Item { task: format!("task {line}"), kind: None, accept: vec![], done: false, line };
    let items = (1..=items).map(item).collect();
    Rules {
        id: "l".to_owned(),
        plan: "plan.md".to_owned(),
        items,
        bounds,
        commit,
        ..Rules::default()
    }
}

fn began(rules: Rules) -> State {
    let input = Input::Began {
        rules: Box::new(rules),
        tree: tree("start"),
        head: Checked { commit: Some("c0".to_owned()), branch: None },
    };
    step(State::default(), &stamped(input))
}

fn result(outcome: Outcome, tree: TreeHash, passed: u64) -> IterationResult {
    IterationResult {
        session: "s".to_owned(),
        outcome,
        detail: String::new(),
        tree,
        before: Tests { passed: 1, ran: 4 },
        after: Tests { passed, ran: 4 },
        attempts: 1,
        seconds: 10,
        cost_micros: 1000,
    }
}

/// Answers what is waited for; an iteration by the outcome that is given.
fn answer(state: State, outcome: Outcome, passed: u64) -> State {
    let pending = state.pending.clone().expect("something is waited for");
    let id = pending.id;
    let made = tree(format!("made-{id}"));
    let input = match pending.action {
        Action::Iterate { .. } => {
            Input::Iterated { id, result: Box::new(result(outcome, made, passed)) }
        }
        Action::Commit { .. } => Input::Committed { id, commit: format!("c{id}") },
        Action::PutBack => Input::PutBack { id, saved: String::new() },
        Action::Call { .. } => Input::Called { id, tree: None },
    };
    step(state, &stamped(input))
}

/// Answers until an item's loop is to be run or nothing is left to do.
fn settled(mut state: State) -> State {
    while state.pending.as_ref().is_some_and(|it| !matches!(it.action, Action::Iterate { .. })) {
        state = answer(state, Outcome::Passed, 0);
    }
    state
}

fn red() -> Outcome {
    Outcome::Red { reason: Some(StopReason::BoundedAttemptsExceeded) }
}

/// Plays these outcomes, and says which items were asked for.
fn played(rules: Rules, outcomes: &[Outcome]) -> (State, Vec<usize>) {
    let mut state = began(rules);
    let mut asked = Vec::new();
    for outcome in outcomes {
        let Some(Action::Iterate { item, .. }) = state.pending.clone().map(|it| it.action) else {
            break;
        };
        asked.push(item);
        state = settled(answer(state, outcome.clone(), 1));
    }
    (state, asked)
}

#[test]
fn items_come_in_order_and_an_escalated_one_is_left_behind() {
    let outcomes = [Outcome::Passed, red(), Outcome::AlreadyThere];
    let (state, asked) = played(rules(3, Bounds::default(), true), &outcomes);
    assert_eq!(asked, [0, 1, 2]);
    assert_eq!((state.end, state.done(), state.escalated()), (Some(EndReason::Escalated), 2, 1));
    assert!(state.ended() && state.items[1].called && !state.items[0].called);
    assert!(state.items[0].commit.is_some() && state.items[1].commit.is_none());
    assert_eq!(state.green.head.commit, state.items[2].commit);
}

#[test]
fn what_was_tried_comes_again_after_the_others_where_that_is_allowed() {
    let bounds = Bounds { tries: 2, ..Bounds::default() };
    let outcomes = [red(), Outcome::Passed, Outcome::Passed];
    let (state, asked) = played(rules(2, bounds, false), &outcomes);
    assert_eq!(asked, [0, 1, 0]);
    assert_eq!(state.end, Some(EndReason::Complete));
    assert!(!state.items[0].called, "nobody is called about what another try has done");
    assert!((state.progress() - (0.7 + 0.3 * 0.25)).abs() < 1e-9, "{}", state.progress());
}

#[test]
fn each_bound_ends_it_and_calls_people_about_what_was_tried() {
    let budget = |budget| Bounds { tries: 9, patience: 99, budget, ..Bounds::default() };
    for (bounds, expected, iterations) in [
        (
            Bounds { tries: 9, iterations: Some(2), ..Bounds::default() },
            EndReason::MaxIterations,
            2,
        ),
        (Bounds { tries: 9, ..Bounds::default() }, EndReason::NoGain, 3),
        (budget(Budget { seconds: Some(35), ..Budget::default() }), EndReason::Time, 4),
        (budget(Budget { attempts: Some(5), ..Budget::default() }), EndReason::Attempts, 5),
        (budget(Budget { cost_micros: Some(1500), ..Budget::default() }), EndReason::Cost, 2),
    ] {
        let (state, asked) = played(rules(2, bounds, false), &vec![red(); 99]);
        assert_eq!((state.end, asked.len()), (Some(expected), iterations));
        assert!(state.items[0].called && state.items[0].standing == Standing::Escalated);
        assert!(state.ended());
    }
}

#[test]
fn a_test_that_was_gained_is_a_gain_once() {
    let bounds = Bounds { tries: 99, patience: 2, ..Bounds::default() };
    let mut state = began(rules(1, bounds, false));
    for passed in [2, 2, 3, 3, 3] {
        state = settled(answer(state, red(), passed));
    }
    assert_eq!((state.end, state.iterations.len()), (Some(EndReason::NoGain), 5));
    let gained: Vec<bool> = state.iterations.iter().map(|it| it.gained).collect();
    assert_eq!(gained, [true, false, true, false, false]);
}

#[test]
fn tools_that_fail_are_nobodys_failure_and_it_goes_on_later() {
    let (state, _) = played(rules(2, Bounds::default(), false), &[Outcome::ToolingError]);
    assert_eq!((state.end, state.items[0].tries), (Some(EndReason::ToolingError), 0));
    assert!(!state.items[0].called);
    let again =
        step(state, &stamped(Input::TakenUp { tree: tree("now"), head: Checked::default() }));
    assert!(matches!(
        again.pending.unwrap().action,
        Action::Iterate { item: 0, number: 2, session: None }
    ));
    assert_eq!(again.green.tree, tree("now"));
}

#[test]
fn a_person_ends_it_and_what_was_half_done_goes_back() {
    let state = began(rules(2, Bounds::default(), false));
    let state = step(state, &stamped(Input::Ended { by: "ann".to_owned() }));
    assert_eq!(state.pending.as_ref().unwrap().action, Action::PutBack);
    let state = settled(state);
    assert_eq!((state.end, state.ended()), (Some(EndReason::Person), true));
    assert!(!state.items[0].called, "it was never judged");
}

#[test]
fn a_plan_that_is_all_ticked_is_done_at_once() {
    let mut rules = rules(2, Bounds::default(), false);
    rules.items.iter_mut().for_each(|item| item.done = true);
    let state = began(rules);
    assert_eq!((state.end, state.ended()), (Some(EndReason::Complete), true));
}

fn claimed(state: State, number: u32, allowed: bool, name: &str) -> State {
    let tests = Some(Tests { passed: 4, ran: 4 });
    let (why, tree) = ("seen to pass".to_owned(), tree(name));
    step(state, &stamped(Input::Claimed { number, allowed, why, tree, tests }))
}

#[test]
fn in_a_loop_of_ones_own_only_new_work_that_passes_counts() {
    let mut state = began(Rules { id: "own".to_owned(), ..Rules::default() });
    assert!(state.pending.is_none() && state.end.is_none());
    for (number, allowed, name) in [(1, true, "a"), (2, true, "a"), (3, false, "b"), (5, true, "b")]
    {
        assert_eq!(claim(&state, number, &tree(name)), Ok(Claim::Judge));
        state = claimed(state, number, allowed, name);
    }
    let counts: Vec<(u32, bool)> =
        state.iterations.iter().map(|it| (it.number, it.counts)).collect();
    assert_eq!(counts, [(1, true), (2, false), (3, false), (5, true)]);
    assert!(matches!(claim(&state, 3, &tree("b")), Ok(Claim::Known(it)) if !it.counts));
    let refused = claim(&state, 4, &tree("c")).expect_err("it is over");
    assert!(refused.to_string().contains("the next is 6"), "{refused}");
    let before = state.clone();
    assert_eq!(claimed(state, 4, true, "c"), before);
    let planned = began(rules(1, Bounds::default(), false));
    assert!(claim(&planned, 1, &tree("a")).is_err());
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        3 => Just(Outcome::Passed),
        1 => Just(Outcome::AlreadyThere),
        4 => Just(red()),
        1 => Just(Outcome::ToolingError),
    ]
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let some = |range: std::ops::Range<u64>| prop::option::of(range);
    (prop::option::of(0u32..6), 0u32..4, 0u32..4, some(0..60), some(0..6), some(0..6000)).prop_map(
        |(iterations, tries, patience, seconds, attempts, cost_micros)| Bounds {
            iterations,
            tries,
            patience,
            budget: Budget {
                seconds,
                attempts: attempts.map(|it| u32::try_from(it).unwrap()),
                cost_micros,
            },
            pass_rate_weight: 0.3,
        },
    )
}

proptest! {
    /// Whatever comes back, late, twice and made-up answers included: it ends within its bounds, only passes are
    /// committed, what is kept is what passed last, and the journal alone gives the same state.
    #[test]
    fn it_is_bounded_and_keeps_only_what_passed(
        items in 1usize..6,
        bounds in bounds(),
        commit: bool,
        outcomes in prop::collection::vec((outcome(), 0u64..5, prop::option::of(0u64..40)), 1..80),
        ended_at in prop::option::of(0usize..40),
    ) {
        let given = rules(items, bounds.clone(), commit);
        let begin = Input::Began { rules: Box::new(given), tree: tree("start"), head: Checked::default() };
        let mut journal = vec![stamped(begin)];
        let mut state = fold(&journal);
        let (mut passed, mut iterated) = (Vec::new(), 0u32);
        let most = u32::try_from(items).unwrap() * bounds.tries.max(1);
        let mut outcomes = outcomes.into_iter().cycle();
        // Each iteration takes at most four answers: itself, a commit or a put back, and calls.
        for turn in 0..usize::try_from(most).unwrap() * 5 + items + 9 {
            let (outcome, count, noise) = outcomes.next().unwrap();
            if ended_at == Some(turn) {
                journal.push(stamped(Input::Ended { by: "ann".to_owned() }));
                state = step(state, journal.last().unwrap());
            }
            let Some(pending) = state.pending.clone() else { break };
            if let Some(id) = noise.filter(|id| *id != pending.id) {
                let made_up = Box::new(result(Outcome::Passed, tree("forged"), 9));
                journal.push(stamped(Input::Iterated { id, result: made_up }));
                let after = step(state.clone(), journal.last().unwrap());
                prop_assert_eq!(&after, &state);
            }
            let id = pending.id;
            let input = match pending.action {
                Action::Iterate { item, .. } => {
                    prop_assert_eq!(state.items[item].standing, Standing::Open);
                    iterated += 1;
                    let made = tree(format!("made-{id}"));
                    if matches!(outcome, Outcome::Passed | Outcome::AlreadyThere) {
                        passed.push(made.clone());
                    }
                    Input::Iterated { id, result: Box::new(result(outcome, made, count)) }
                }
                Action::Commit { tree, .. } => {
                    prop_assert!(commit && passed.last() == Some(&tree));
                    Input::Committed { id, commit: format!("c{id}") }
                }
                Action::PutBack => Input::PutBack { id, saved: String::new() },
                Action::Call { item } => {
                    prop_assert_eq!(state.items[item].standing, Standing::Escalated);
                    Input::Called { id, tree: None }
                }
            };
            journal.push(stamped(input));
            state = step(state, journal.last().unwrap());
        }
        prop_assert!(state.ended(), "{:?}", state.pending);
        prop_assert!(iterated <= most);
        prop_assert!(bounds.iterations.is_none_or(|bound| iterated <= bound));
        let start = tree("start");
        prop_assert_eq!(&state.green.tree, passed.last().unwrap_or(&start));
        prop_assert_eq!(state.items.iter().filter(|item| item.commit.is_some()).count(), if commit { passed.len() } else { 0 });
        prop_assert!(state.items.iter().all(|item| (item.standing == Standing::Escalated) == item.called));
        prop_assert!((0.0..=1.0).contains(&state.progress()));
        if state.end == Some(EndReason::Complete) {
            prop_assert_eq!(state.done(), items);
        }
        prop_assert_eq!(fold(&journal), state);
    }
}
