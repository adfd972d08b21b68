//! What a command runs with Python.

use crate::command::program_name;

/// Options with a value in the next word.
const WITH_VALUE: &[&str] =
    &["-X", "-W", "--source", "--omit", "--include", "--rcfile", "--data-file"];

/// Whether a simple command runs one of these modules: `python -m pytest`.
pub(crate) fn runs_module(words: &[String], modules: &[&str]) -> bool {
    matches!(started(words), Some(Started::Module(module)) if modules.contains(&module))
}

/// Whether a simple command runs the tests of a Django project: `python manage.py test`.
pub(crate) fn runs_django(words: &[String]) -> bool {
    let (script, word) = match started(words) {
        Some(Started::Script(script, word)) => (script, word),
        Some(Started::Module(_)) => return false,
        None => (words.first().map_or("", String::as_str), words.get(1).map(String::as_str)),
    };
    program_name(script) == "manage.py" && word == Some("test")
}

/// What Python is started with.
enum Started<'words> {
    Module(&'words str),
    /// A script and its first argument.
    Script(&'words str, Option<&'words str>),
}

/// `-m pytest` before anything that is not an option: what follows a script is the script's.
fn started(words: &[String]) -> Option<Started<'_>> {
    let (program, arguments) = words.split_first()?;
    let arguments = match program_name(program) {
        "coverage" => arguments.split_first().filter(|(word, _)| *word == "run")?.1,
        name if name.starts_with("python") || name == "pypy3" => arguments,
        _ => return None,
    };
    let mut words = arguments.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word.starts_with('-') && !word.starts_with("--") && word.ends_with('m') {
            return words.next().map(Started::Module);
        }
        if WITH_VALUE.contains(&word) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(Started::Script(word, words.next()));
        }
    }
    None
}
