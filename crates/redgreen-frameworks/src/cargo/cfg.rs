//! `cfg(…)` of cargo's configuration, for the platform that rustc describes.

/// How deep expressions are followed.
const DEPTH: usize = 16;

/// Whether `cfg(EXPRESSION)` holds; what cannot be read does not. `facts` are the lines of
/// `rustc --print cfg`.
pub(super) fn holds(target: &str, facts: &str) -> bool {
    let inside = target.strip_prefix("cfg(").and_then(|rest| rest.strip_suffix(')'));
    inside.is_some_and(|expression| evaluate(expression, facts, DEPTH).unwrap_or(false))
}

fn evaluate(expression: &str, facts: &str, depth: usize) -> Option<bool> {
    let expression = expression.trim();
    let depth = depth.checked_sub(1)?;
    let group =
        |name: &str| expression.strip_prefix(name)?.trim().strip_prefix('(')?.strip_suffix(')');
    let values = |list| -> Option<Vec<bool>> {
        parts(list).into_iter().map(|part| evaluate(part, facts, depth)).collect()
    };
    if let Some(list) = group("all") {
        return Some(values(list)?.into_iter().all(|value| value));
    }
    if let Some(list) = group("any") {
        return Some(values(list)?.into_iter().any(|value| value));
    }
    if let Some(inside) = group("not") {
        return Some(!evaluate(inside, facts, depth)?);
    }
    let fact: String = expression.split(" = ").collect::<Vec<_>>().join("=");
    Some(expression == "true" || facts.lines().any(|line| line.trim() == fact))
}

/// The parts of a list, at its own commas.
fn parts(list: &str) -> Vec<&str> {
    let (mut parts, mut open, mut start) = (Vec::new(), 0_usize, 0);
    for (at, character) in list.char_indices() {
        match character {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            ',' if open == 0 => {
                parts.extend(list.get(start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.extend(list.get(start..));
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_hold_as_cargo_reads_them() {
        let facts = "unix\ntarget_os=\"linux\"\ntarget_arch=\"x86_64\"\n";
        let cases = [
            ("cfg(unix)", true),
            ("cfg(windows)", false),
            ("cfg(target_os = \"linux\")", true),
            ("cfg(target_os=\"linux\")", true),
            ("cfg(not(windows))", true),
            ("cfg(all(unix, target_arch = \"x86_64\"))", true),
            ("cfg(all(unix, any(windows, not(unix))))", false),
            ("cfg(any(windows, all(unix, target_os = \"linux\"),))", true),
            ("cfg(all())", true),
            ("cfg(any())", false),
            ("cfg(true)", true),
            ("cfg(", false),
            ("x86_64-unknown-linux-gnu", false),
        ];
        for (target, wanted) in cases {
            assert_eq!(holds(target, facts), wanted, "{target}");
        }
        let deep = format!("cfg({}unix{})", "not(".repeat(100), ")".repeat(100));
        assert!(!holds(&deep, facts));
    }
}
