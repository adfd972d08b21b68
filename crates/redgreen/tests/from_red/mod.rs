//! From red to a fix, as somebody sees it who tries it: where the fault is, why, and what was tried already.

mod at_the_gate;
mod in_the_loop;
mod places;
mod rules;
