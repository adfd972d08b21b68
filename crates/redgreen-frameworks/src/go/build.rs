//! What the go command says when it cannot build, or cannot do its work at all.

use redgreen_model::report::FailureKind;

/// How many errors of one build are kept.
const ERRORS_MAX: usize = 20;
/// What go says when not the code is at fault but the installation, the network or the command.
const TOOLING: &[&str] = &[
    "cannot find main module",
    "go.mod file not found",
    "flag provided but not defined",
    "invalid boolean value",
    "invalid value",
    "toolchain not available",
    "(running go ",
    "cannot find GOROOT",
    "build cache is required",
    "dial tcp",
    "no such host",
    "TLS handshake",
    "connection refused",
    "module lookup disabled",
    "missing go.sum entry",
    "no space left on device",
    "permission denied",
    "C compiler",
    "requires cgo",
    "-race is not supported",
];

/// One complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// What sort of thing it is.
    pub kind: FailureKind,
    /// `build` or `vet`, or `go` for the tool itself.
    pub error_type: &'static str,
    /// The file, from where go was started.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
    /// What was said.
    pub message: String,
}

/// The complaints in what a build printed; where none has a place, all of it is one.
pub fn build_errors(text: &str) -> Vec<BuildError> {
    let mut errors: Vec<BuildError> = Vec::new();
    let mut vet = false;
    for line in text.lines() {
        if let Some(header) = line.strip_prefix("# ") {
            vet = header.starts_with('[');
        } else if let Some((file, number, message)) = located(line) {
            vet |= line.starts_with("vet: ");
            errors.push(BuildError {
                kind: FailureKind::CompileError,
                error_type: if vet { "vet" } else { "build" },
                file: Some(file.to_owned()),
                line: Some(number),
                message: message.to_owned(),
            });
        } else if let (true, Some(last)) = (line.starts_with('\t'), errors.last_mut()) {
            last.message.push('\n');
            last.message.push_str(line.trim());
        }
        if errors.len() > ERRORS_MAX {
            break;
        }
    }
    errors.truncate(ERRORS_MAX);
    if errors.is_empty() {
        errors.extend(unlocated(text));
    }
    errors
}

/// What ended a go command that started no test.
pub fn tool_error(text: &str) -> Option<BuildError> {
    let word = |line: &&str| TOOLING.iter().any(|word| line.contains(word));
    let line = text.lines().find(word)?;
    Some(BuildError {
        kind: FailureKind::ToolingError,
        error_type: "go",
        file: None,
        line: None,
        message: line.trim().to_owned(),
    })
}

fn unlocated(text: &str) -> Option<BuildError> {
    let said: Vec<&str> =
        text.lines().filter(|line| !line.starts_with("# ") && !line.trim().is_empty()).collect();
    (!said.is_empty()).then(|| BuildError {
        kind: FailureKind::CompileError,
        error_type: "build",
        file: None,
        line: None,
        message: said.join("\n"),
    })
}

/// `dir/file.go:3:28: message`, or without the column; `go.mod`, too.
fn located(line: &str) -> Option<(&str, u32, &str)> {
    let line = line.strip_prefix("vet: ").unwrap_or(line);
    let line = line.strip_prefix("go: ").unwrap_or(line);
    let end = [".go:", ".mod:", ".work:", ".s:", ".c:", ".h:"]
        .iter()
        .filter_map(|end| Some(line.find(end)? + end.len()))
        .min()?;
    let (file, rest) = (line.get(..end - 1)?, line.get(end..)?);
    let (number, rest) = rest.split_once(':')?;
    let number = number.parse().ok()?;
    let message = match rest.split_once(": ") {
        Some((column, message)) if column.parse::<u32>().is_ok() => message,
        _ => rest.trim_start(),
    };
    let plain = !file.contains(char::is_whitespace) && !message.is_empty();
    plain.then_some((file, number, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |error: BuildError| {
            let place = error.file.zip(error.line).map(|(file, line)| format!("{file}:{line} "));
            format!("{} {}{}", error.error_type, place.unwrap_or_default(), error.message)
        };
        build_errors(text).into_iter().map(show).collect()
    }

    #[test]
    fn complaints_have_their_places() {
        let cases: &[(&str, &[&str])] = &[
            (
                "# m/d [m/d.test]\nd/d_test.go:3:28: undefined: x\nd/d.go:5:2: cannot use s\n\thave (int)\n\twant (string)\nd/d.go:9:2: too many errors\n",
                &[
                    "build d/d_test.go:3 undefined: x",
                    "build d/d.go:5 cannot use s\nhave (int)\nwant (string)",
                    "build d/d.go:9 too many errors",
                ],
            ),
            (
                "# m/e\n# [m/e]\n./e_test.go:3:41: fmt.Printf format %d has arg\n",
                &["vet ./e_test.go:3 fmt.Printf format %d has arg"],
            ),
            ("# m/e\nvet: e/e.go:3:4: undefined: y\n", &["vet e/e.go:3 undefined: y"]),
            (
                "f/f_test.go:2:20: no required module provides package m/nope; to add it:\n\tgo get m/nope\n",
                &[
                    "build f/f_test.go:2 no required module provides package m/nope; to add it:\ngo get m/nope",
                ],
            ),
            (
                "go: errors parsing go.mod:\ngo.mod:3: unknown directive: oops\n",
                &["build go.mod:3 unknown directive: oops"],
            ),
            (
                "package m/a\n\timports m/b\n\timports m/a: import cycle not allowed\n",
                &["build package m/a\n\timports m/b\n\timports m/a: import cycle not allowed"],
            ),
            ("# m/x\n", &[]),
            ("", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(&shown(text), wanted, "{text}");
        }
        assert_eq!(build_errors(&"a.go:1:1: x\n".repeat(500)).len(), ERRORS_MAX);
    }

    #[test]
    fn the_tool_is_distinguished_from_the_code() {
        let found = tool_error("go: go.mod requires go >= 1.99 (running go 1.26; x)\n").unwrap();
        assert_eq!(found.kind, FailureKind::ToolingError);
        assert_eq!(tool_error("pattern ./nope: no such directory"), None);
    }
}
