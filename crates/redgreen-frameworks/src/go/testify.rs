//! The blocks that testify writes: a label, a tab, and lines.

/// One of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// What was asserted, and the user's own words.
    pub message: String,
    /// What was expected.
    pub expected: Option<String>,
    /// What it was.
    pub actual: Option<String>,
    /// The calls, innermost first.
    pub trace: Vec<(String, u32)>,
}

/// Reads a block; none if the text is none.
pub fn read(text: &str) -> Option<Block> {
    if !text.contains("Error Trace:") {
        return None;
    }
    let (mut label, mut block) = ("", Block::default());
    let (mut error, mut words): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut columns = line.trim_start_matches(' ').splitn(3, '\t').skip(1);
        let (Some(name), Some(said)) = (columns.next(), columns.next()) else { continue };
        if let Some(named) = name.trim().strip_suffix(':') {
            label = named;
        }
        match label {
            "Error Trace" => block.trace.extend(place(said)),
            "Error" => error.push(said),
            "Messages" => words.push(said),
            _ => {}
        }
    }
    block.expected = value(&error, "expected:");
    block.actual = value(&error, "actual  :");
    let asserted =
        error.iter().take_while(|line| !line.starts_with("expected:") && !line.is_empty());
    let said: Vec<&str> = asserted.map(|line| line.trim()).collect();
    block.message = match words.join("\n") {
        words if words.is_empty() => said.join("\n"),
        words => format!("{} ({words})", said.join("\n").trim_end_matches([':', ' '])),
    };
    Some(block)
}

fn place(said: &str) -> Option<(String, u32)> {
    let (file, line) = said.trim().rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

fn value(error: &[&str], label: &str) -> Option<String> {
    error.iter().find_map(|line| Some(line.strip_prefix(label)?.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_its_parts() {
        let text = "\n\tError Trace:\t/w/a/help.go:7\n\t            \t/w/a/a_test.go:12\n\tError:      \tNot equal: \n\t            \texpected: \"a\"\n\t            \tactual  : \"b\"\n\t            \t\n\t            \tDiff:\n\t            \t--- Expected\n\tTest:       \tTestX\n\tMessages:   \tthe name\n";
        let block = read(text).unwrap();
        assert_eq!(block.message, "Not equal (the name)");
        assert_eq!(block.expected.as_deref(), Some("\"a\""));
        assert_eq!(block.actual.as_deref(), Some("\"b\""));
        let trace = [("/w/a/help.go".to_owned(), 7), ("/w/a/a_test.go".to_owned(), 12)];
        assert_eq!(block.trace, trace);
        let short = "\n\tError Trace:\ta_test.go:3\n\tError:      \tShould be true\n\tTest:\tTestY";
        assert_eq!(read(short).unwrap().message, "Should be true");
        assert_eq!(read("got 1"), None);
    }
}
