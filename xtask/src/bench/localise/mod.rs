//! Whether the analysis finds the line that is wrong, against what anybody could do.

mod corpus;
mod peers;
mod play;
mod told;

use self::corpus::{LANGUAGES, Language, cases};
use self::peers::Ranking;
use self::play::{Played, play};
use self::told::{Tokenizers, Told};
use super::table::{Quantity, Row};
use super::{NamedRow, Setting};
use crate::Failure;
use crate::project::built;

/// How often the true place may be missing among the first so many.
const TARGETS: [(f64, f64); 3] = [(1.0, 0.5), (3.0, 0.3), (5.0, 0.2)];
/// How far a confidence may be from how often it was right.
const CONFIDENCE_OFF_MAX: f64 = 0.1;
/// Into how many bins confidences are sorted, and how many cases one needs to say something.
const BINS: u8 = 5;
const IN_BIN_MIN: usize = 10;

/// In how many reports the true place may be missing from the beginning.
const PLACE_LATE_MAX: f64 = 0.25;

/// What a report may not be, how many of them may be so all the same, and how it is told.
type Limit = (&'static str, f64, fn(&Told) -> bool);

/// A row for each language, and those of all together against the limits and the peers.
pub(super) fn all(setting: &Setting) -> Result<Vec<NamedRow>, Failure> {
    let (mut played, mut rows) = (Vec::new(), Vec::new());
    for language in LANGUAGES {
        // Some of them alone, while one works on it.
        if std::env::var("LOCALISE").is_ok_and(|only| !only.contains(language.name)) {
            continue;
        }
        let own = of(language, setting)?;
        for (most, limit) in TARGETS {
            rows.push((title(language.name, own.len(), most), against("limit", limit, &own, most)));
        }
        played.extend(own);
    }
    for (most, limit) in TARGETS {
        let peers = [
            ("limit", limit),
            ("top own frame", misses(&played, |it| it.frames, most)),
            ("changed lines", misses(&played, |it| it.changed, most)),
            ("plain ochiai", misses(&played, |it| it.ochiai, most)),
        ];
        let rows_of = peers.map(|(peer, theirs)| {
            (title("all", played.len(), most), against(peer, theirs, &played, most))
        });
        rows.extend(rows_of);
    }
    let of_reports: [Limit; 3] = [
        ("over-budget", 0.0, |told| !told.in_budget),
        ("names-missing", 0.0, |told| !told.names_all),
        ("place-late", PLACE_LATE_MAX, |told| !told.place_is_first),
    ];
    for (what, limit, is_so) in of_reports {
        let found = played.iter().filter(|it| is_so(&it.told)).count();
        let share = count(found.max(1)) / count(played.len()) * f64::from(u8::from(found > 0));
        let row = Row {
            ours: Quantity::Share(share),
            against: "limit",
            theirs: Quantity::Share(limit),
            target_ratio: 1.0,
        };
        rows.push((format!("report-{}-{what}", played.len()), row));
    }
    let off = Row {
        ours: Quantity::Share(off(&played)),
        against: "limit",
        theirs: Quantity::Share(CONFIDENCE_OFF_MAX),
        target_ratio: 1.0,
    };
    rows.push(("localise-confidence-off".to_owned(), off));
    Ok(rows)
}

fn title(of: &str, cases: usize, most: f64) -> String {
    format!("localise-{of}-{cases}-missed-{most}")
}

fn against(peer: &'static str, theirs: f64, played: &[Played], most: f64) -> Row {
    Row {
        ours: Quantity::Share(misses(played, |it| it.ours, most)),
        against: peer,
        theirs: Quantity::Share(theirs),
        target_ratio: 1.0,
    }
}

/// Plays the cases of a language until there are enough of which a test notices the fault.
fn of(language: &Language, setting: &Setting) -> Result<Vec<Played>, Failure> {
    let faults = built(&["--package", "redgreen-syntax", "--example", "faults"], "faults")?;
    let tokenizers = Tokenizers::new()?;
    let mut played = Vec::new();
    for case in cases(language, &faults)? {
        if played.len() == language.wanted {
            break;
        }
        match play(&case, &setting.redgreen, &tokenizers)? {
            Some(it) => {
                eprintln!(
                    "  {} {:?}: first {:.0}, among five {:.0}, confidence {:.2}; changed lines {:.2}, ochiai {:.2}; {:?}",
                    it.name,
                    it.story,
                    it.ours.among_first(1.0),
                    it.ours.among_first(5.0),
                    it.confidence,
                    it.changed.among_first(1.0),
                    it.ochiai.among_first(1.0),
                    it.told
                );
                played.push(it);
            }
            None => eprintln!("  {}: no test notices it", case.name),
        }
    }
    Ok(played)
}

fn misses(played: &[Played], of: impl Fn(&Played) -> Ranking, most: f64) -> f64 {
    let hits: f64 = played.iter().map(|it| of(it).among_first(most)).sum();
    1.0 - hits / count(played.len())
}

fn count(length: usize) -> f64 {
    u32::try_from(length).map_or(f64::MAX, f64::from).max(1.0)
}

/// How far confidence is from how often it was right, in the bin where that is worst.
fn off(played: &[Played]) -> f64 {
    let mut worst: f64 = 0.0;
    for bin in 0..BINS {
        let (from, to) = (f64::from(bin) / f64::from(BINS), f64::from(bin + 1) / f64::from(BINS));
        let inside =
            |it: &&Played| it.confidence >= from && (it.confidence < to || bin + 1 == BINS);
        let inside: Vec<&Played> = played.iter().filter(inside).collect();
        let claimed: f64 = inside.iter().map(|it| it.confidence).sum::<f64>() / count(inside.len());
        let right: f64 =
            inside.iter().map(|it| it.ours.among_first(1.0)).sum::<f64>() / count(inside.len());
        eprintln!(
            "  confidence {from:.1}-{to:.1}: {} cases, claimed {claimed:.2}, right {right:.2}",
            inside.len()
        );
        if inside.len() >= IN_BIN_MIN {
            worst = worst.max((claimed - right).abs());
        }
    }
    worst
}
