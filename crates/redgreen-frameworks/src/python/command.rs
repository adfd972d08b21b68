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

/// Letters of options that keep Python from our `sitecustomize`.
const WITHOUT_US: &[char] = &['I', 'E', 'S'];
/// Options with a value, in the rest of the word or in the next one.
const VALUED: &[char] = &['X', 'W'];

/// The arguments of `python -I -m MODULE …` with a script in the place of `-m`; none where nothing keeps Python
/// from our `sitecustomize`, or where it is not a module that runs.
pub fn module_without_variables(arguments: &[String], script: &str) -> Option<Vec<String>> {
    let (mut options, mut kept_out) = (Vec::new(), false);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let letters = word.strip_prefix('-').filter(|rest| !rest.is_empty())?;
        if letters.starts_with('-') {
            return None;
        }
        let valued = letters.find(|letter| VALUED.contains(&letter) || "mc".contains(letter));
        let (flags, rest) = letters.split_at(valued.unwrap_or(letters.len()));
        kept_out |= flags.contains(WITHOUT_US);
        let mut rest = rest.chars();
        match rest.next() {
            Some('c') => return None,
            Some('m') => {
                let glued = Some(rest.collect::<String>()).filter(|name| !name.is_empty());
                let module = glued.or_else(|| words.next().cloned())?;
                options.extend((!flags.is_empty()).then(|| format!("-{flags}")));
                options.extend([script.to_owned(), module]);
                return kept_out.then(|| options.into_iter().chain(words.cloned()).collect());
            }
            valued => {
                options.push(word.clone());
                if valued.is_some() && rest.next().is_none() {
                    options.push(words.next()?.clone());
                }
            }
        }
    }
    None
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

#[cfg(test)]
mod tests {
    use super::module_without_variables;

    #[test]
    fn a_module_is_started_another_way_where_an_option_keeps_us_out() {
        let cases = [
            ("-I -m pytest -q", Some("-I ours.py pytest -q")),
            ("-Im pytest -m slow", Some("-I ours.py pytest -m slow")),
            ("-X dev -W ignore -BEs -mpytest", Some("-X dev -W ignore -BEs ours.py pytest")),
            ("-Xdev -S -m unittest -v", Some("-Xdev -S ours.py unittest -v")),
            ("-X EI -m pytest", None),
            ("-WE -m pytest", None),
            ("-m pytest -I", None),
            ("-I -c print()", None),
            ("-E manage.py test -m x", None),
            ("-I --version -m pytest", None),
            ("-I -m", None),
            ("-I", None),
            ("", None),
        ];
        for (given, wanted) in cases {
            let words: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
            let found = module_without_variables(&words, "ours.py").map(|words| words.join(" "));
            assert_eq!(found.as_deref(), wanted, "{given}");
        }
    }
}
