//! What of a project judges for RSpec.

use crate::command::program_name;
use crate::sides::{ReachedCommand, Rule, SideRequest, joined};

/// Folders of code: what is loaded from there may be what is tested.
const CODE: &[&str] = &["lib/", "app/"];

/// The rules for a check that may run RSpec. Folders called `spec` are known to all.
pub(super) fn rules(request: &SideRequest<'_>) -> Vec<Rule> {
    let mut rules = vec![
        Rule::tests("**/gems/{rspec,rspec-*}/**", "an installed RSpec: what runs the tests")
            .everywhere(),
        Rule::tests("**/{.rspec,.rspec-local,.simplecov}", "RSpec: its configuration"),
        Rule::tests("**/{spec_helper,rails_helper}.rb", "RSpec: loaded with every spec"),
        Rule::tests("**/*_spec.rb", "RSpec: a spec by its name").guessed(),
    ];
    let rake = |command: &&ReachedCommand| {
        command.words.first().is_some_and(|program| program_name(program) == "rake")
    };
    for ReachedCommand { folder, .. } in request.commands.iter().filter(rake) {
        for tasks in ["{Rakefile,rakefile,Rakefile.rb,rakefile.rb}", "rakelib/*.rake"] {
            let glob = joined(&globset::escape(folder), tasks);
            rules.push(Rule::tests(glob, "rake: how tests are run"));
        }
    }
    rules.extend(configured(request));
    rules.extend(super::helpers::rules(request.baseline));
    rules
}

/// What the options of a project name: files that are loaded first, and where the specs are.
fn configured(request: &SideRequest<'_>) -> Vec<Rule> {
    let folder = request.check.path("").trim_end_matches('/').to_owned();
    let settings = [".rspec", ".rspec-local"].map(|name| joined(&folder, name));
    let texts = settings.iter().filter_map(|path| request.baseline.read(path));
    let said: String = texts.map(|text| text.replace('=', " ") + "\n").collect();
    let words: Vec<&str> =
        said.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let mut rules = Vec::new();
    for pair in words.windows(2) {
        let [option, value] = pair else { continue };
        let value = joined(&folder, value);
        match *option {
            "-P" | "--pattern" => {
                rules.push(Rule::tests(value.clone(), format!(".rspec: {option} {value}")));
            }
            "--default-path" => {
                let glob = format!("{}/**", globset::escape(&value));
                rules.push(Rule::tests(glob, format!(".rspec: {option} {value}")).guessed());
            }
            "-r" | "--require" if !CODE.iter().any(|code| value.starts_with(code)) => {
                let glob = format!("{}{{,.rb}}", globset::escape(&value));
                rules.push(Rule::tests(glob, format!(".rspec: {option} {value}")).guessed());
            }
            _ => {}
        }
    }
    rules
}
