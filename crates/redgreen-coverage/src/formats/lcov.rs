//! LCOV's tracefiles: `SF:path`, then `DA:line,hits`, to `end_of_record`.

use crate::Coverage;

/// Reads a tracefile.
pub fn read(text: &str) -> Coverage {
    let mut coverage = Coverage::default();
    let mut path = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("SF:") {
            path = Some(name.trim().to_owned());
        } else if let (Some(file), Some(data)) = (&path, line.strip_prefix("DA:")) {
            let mut fields = data.split(',').map(|field| field.trim().parse::<u64>());
            if let (Some(Ok(number)), Some(Ok(hits))) = (fields.next(), fields.next())
                && let Ok(number) = u32::try_from(number)
            {
                let known = coverage.files.entry(file.clone()).or_default();
                *known.lines.entry(number).or_default() += hits;
            }
        }
    }
    coverage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_ran_and_that_did_not() {
        let coverage = read("TN:\nSF:src/a.js\nDA:1,3\nDA:2,0\nend_of_record\n");
        let lines: Vec<_> = coverage.files["src/a.js"].lines.clone().into_iter().collect();
        assert_eq!(lines, [(1, 3), (2, 0)]);
    }
}
