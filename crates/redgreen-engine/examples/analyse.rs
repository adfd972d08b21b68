//! What the analysis of today says to journals of loops: `place score place score … confidence`, one line for each.
//!
//! `cargo run -p redgreen-engine --example analyse JOURNAL…`
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;

use redgreen_engine::fold;
use redgreen_engine::input::Stamped;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        let text = std::fs::read_to_string(&path)?;
        let inputs: Vec<Stamped> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let state = fold(&inputs);
        let mut analyses = state.attempts.iter().filter_map(|attempt| attempt.analysis.as_ref());
        let Some(analysis) = analyses.next_back() else {
            println!("{path}\tnone");
            continue;
        };
        let places = analysis.suspects.iter();
        let places: Vec<String> =
            places.map(|it| format!("{}={:.2}", it.place, it.score)).collect();
        println!("{path}\t{}\t{}\t{}", analysis.confidence, places.join(" "), analysis.root_cause);
    }
    Ok(())
}
