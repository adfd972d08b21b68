//! Shell commands, read just well enough to see which programs they run.

/// Programs that run the rest of their arguments as a command, and their options that take a value.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("env", &["-u", "--unset", "-C", "--chdir"]),
    ("exec", &["-a"]),
    ("command", &[]),
    ("time", &["-f", "-o"]),
    ("nice", &["-n"]),
    ("nohup", &[]),
    ("sudo", &["-u", "-g"]),
    ("xvfb-run", &["-n", "-s", "-e"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"]),
];
/// Tools with a `run` or `exec` that runs the rest of their arguments, and options that take a value.
const RUN_TOOLS: &[&str] =
    &["uv", "poetry", "pipenv", "pipx", "pdm", "hatch", "rye", "pixi", "bundle"];
const RUN_OPTIONS: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--env-file",
    "--project",
    "--directory",
    "-e",
];
/// Shells whose `-c` is a command.
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh"];
/// How deep `sh -c` is followed.
const DEPTH: usize = 4;

/// The simple commands of a shell command: words without variable assignments, and without the
/// programs that only run another one.
pub(crate) fn simple_commands(command: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect(command, DEPTH, &mut found);
    found
}

/// Whether one of the simple commands of a shell command is this, by the name of its program and its arguments.
pub(crate) fn runs(command: &str, is_run: impl Fn(&str, &[String]) -> bool) -> bool {
    simple_commands(command).iter().any(|words| {
        words.split_first().is_some_and(|(program, rest)| is_run(program_name(program), rest))
    })
}

/// The names of the programs that a shell command starts itself, also those that only run another.
pub(crate) fn programs(command: &str) -> Vec<String> {
    let first = |words: &Vec<String>| {
        without_assignments(words).first().map(|word| program_name(word).to_owned())
    };
    split(command).iter().filter_map(first).collect()
}

/// The last part of a program's path.
pub(crate) fn program_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn collect(command: &str, depth: usize, found: &mut Vec<Vec<String>>) {
    for words in split(command) {
        let words = unwrapped(&words);
        let Some(program) = words.first() else { continue };
        let shell = SHELLS.contains(&program_name(program));
        match shell_script(words).filter(|_| shell && depth > 0) {
            Some(script) => collect(script, depth - 1, found),
            None => found.push(words.to_vec()),
        }
    }
}

fn shell_script(words: &[String]) -> Option<&str> {
    let flag = words
        .iter()
        .position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.get(flag + 1).map(String::as_str)
}

fn unwrapped(mut words: &[String]) -> &[String] {
    loop {
        words = without_assignments(words);
        let Some(program) = words.first().map(|word| program_name(word)) else { return words };
        let rest = words.get(1..).unwrap_or_default();
        if let Some((_, options)) = WRAPPERS.iter().find(|(name, _)| *name == program) {
            let rest = after_options(rest, options);
            let skip = usize::from(program == "timeout");
            words = rest.get(skip..).unwrap_or_default();
        } else if RUN_TOOLS.contains(&program) {
            let rest = after_options(rest, RUN_OPTIONS);
            match rest.first().map(String::as_str) {
                Some("run" | "exec") => {
                    words = after_options(rest.get(1..).unwrap_or_default(), RUN_OPTIONS)
                }
                _ => return words,
            }
        } else {
            return words;
        }
    }
}

fn without_assignments(words: &[String]) -> &[String] {
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    words.get(count..).unwrap_or_default()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
    })
}

fn after_options<'words>(words: &'words [String], with_value: &[&str]) -> &'words [String] {
    let mut index = 0;
    while let Some(word) = words.get(index).filter(|word| word.starts_with('-')) {
        index += if with_value.contains(&word.as_str()) { 2 } else { 1 };
        if word == "--" {
            break;
        }
    }
    words.get(index..).unwrap_or_default()
}

/// Words of each simple command; quotes and escapes are resolved, operators end a command.
fn split(command: &str) -> Vec<Vec<String>> {
    let mut splitter = Splitter::default();
    let mut rest = command.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\'' => splitter.extend(rest.by_ref().take_while(|next| *next != '\'')),
            '"' => {
                splitter.extend([]);
                while let Some(next) = rest.next().filter(|next| *next != '"') {
                    let literal = if next == '\\' { rest.next() } else { Some(next) };
                    splitter.extend(literal);
                }
            }
            '\\' if rest.next_if_eq(&'\n').is_some() => {}
            '\\' => splitter.extend(rest.next()),
            '#' if splitter.word.is_none() => while rest.next_if(|next| *next != '\n').is_some() {},
            '&' | '|' | ';' | '\n' | '(' | ')' | '{' | '}' if splitter.is_operator(character) => {
                splitter.end_command();
            }
            _ if character.is_whitespace() => splitter.end_word(),
            _ => splitter.extend([character]),
        }
    }
    splitter.end_command();
    splitter.commands
}

#[derive(Default)]
struct Splitter {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
}

impl Splitter {
    fn extend(&mut self, characters: impl IntoIterator<Item = char>) {
        self.word.get_or_insert_default().extend(characters);
    }

    /// Braces are operators only as words of their own, and `2>&1` is a redirection.
    fn is_operator(&self, character: char) -> bool {
        match character {
            '{' | '}' => self.word.is_none(),
            '&' => !self.word.as_deref().is_some_and(|word| word.ends_with('>')),
            _ => true,
        }
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_behind_what_runs_them() {
        let cases: &[(&str, &[&str])] = &[
            ("pytest -q", &["pytest -q"]),
            ("A=1 B='x y' pytest", &["pytest"]),
            (
                "cd sub && python -m pytest 2>&1 | tee log",
                &["cd sub", "python -m pytest 2>&1", "tee log"],
            ),
            ("env -u X FOO=1 timeout -k 5 60 uv run --with x pytest", &["pytest"]),
            ("bundle exec rspec spec/a_spec.rb", &["rspec spec/a_spec.rb"]),
            ("bash -lc 'cd x; cargo test'", &["cd x", "cargo test"]),
            ("echo 'pytest; cargo test'", &["echo pytest; cargo test"]),
            ("(cargo test)", &["cargo test"]),
            ("{ cargo test; }", &["cargo test"]),
            ("cargo test # not pytest", &["cargo test"]),
            ("a \\\n b", &["a b"]),
            ("", &[]),
            ("'unfinished", &["unfinished"]),
            ("timeout", &[]),
        ];
        for (command, wanted) in cases {
            let found: Vec<String> =
                simple_commands(command).iter().map(|words| words.join(" ")).collect();
            assert_eq!(&found, wanted, "{command}");
        }
    }
}
