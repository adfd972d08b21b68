//! RSpec under the real binary: however it is started, and whatever is left out.

use crate::common::ruby::{CALC, SPEC};
use crate::common::{Project, outcomes};

const BOTH: [&str; 2] =
    ["spec/calc_spec.rb > Calc > adds passed", "spec/calc_spec.rb > Calc > subtracts failed"];

fn project(command: &str) -> Project {
    let project = Project::rspec();
    project
        .write("redgreen.toml", format!("[[checks]]\nname = \"unit\"\ncommand = \"{command}\"\n"));
    project.write("Gemfile", "source \"https://rubygems.org\"\n\ngem \"rspec\"\ngem \"rake\"\n");
    project.write(
        "Rakefile",
        "require \"rspec/core/rake_task\"\nRSpec::Core::RakeTask.new(:spec)\ntask default: :spec\n",
    );
    project.write(
        "bin/rspec",
        "#!/usr/bin/env ruby\nrequire \"rspec/core\"\nexit RSpec::Core::Runner.run(ARGV)\n",
    );
    project.commit();
    project
}

#[test]
fn it_is_seen_however_it_is_started() {
    for command in [
        "bundle exec rspec",
        "rake",
        "bundle exec rake spec",
        "ruby bin/rspec",
        "RUBYLIB=lib:$RUBYLIB rspec --format json",
        "ruby -rrspec/autorun spec/calc_spec.rb",
    ] {
        let project = project(command);
        let tested = project.tested(&[]);
        assert_eq!(outcomes(tested.report()), BOTH, "{command}\n{}", tested.ended.stderr);
        assert_eq!(tested.report()["complete"], true, "{command}");
    }
}

#[test]
fn an_rspec_that_does_not_load_the_listener_is_no_pass_and_says_why() {
    let project = project("RUBYOPT= rspec");
    project.write(
        "lib/calc.rb",
        CALC.replace("subtract(a, b)\n    a + b", "subtract(a, b)\n    a - b"),
    );
    let tested = project.tested(&[]);
    assert_eq!(tested.verdict(), "inconclusive");
    assert!(tested.report()["diagnostics"].to_string().contains("overwrites RUBYOPT"));
}

#[test]
fn nothing_to_run_is_no_pass() {
    let project = project("rspec");
    project.write("spec/calc_spec.rb", "RSpec.describe(\"nothing\") {}\n");
    let tested = project.tested(&[]);
    assert_eq!(tested.verdict(), "inconclusive", "{}", tested.ended.stderr);
    assert_eq!(tested.report()["complete"], true);
}

#[test]
fn an_rspec_that_an_example_starts_says_nothing_for_itself() {
    let project = project("rspec");
    let inner = "  it(\"starts another\") { system(\"rspec inner.rb\", out: File::NULL) }\nend\n";
    project.write("spec/calc_spec.rb", SPEC.replace("  end\nend\n", &format!("  end\n\n{inner}")));
    project.write("inner.rb", "RSpec.describe(\"inner\") { it(\"is\") {} }\n");
    let mut wanted: Vec<String> = BOTH.map(str::to_owned).to_vec();
    wanted.insert(1, "spec/calc_spec.rb > Calc > starts another passed".to_owned());
    assert_eq!(outcomes(project.tested(&[]).report()), wanted);
}

#[test]
fn in_a_corner_neither_a_failure_nor_a_file_that_cannot_be_loaded_ends_the_run() {
    let project = project("REDGREEN_CORNER=1 rspec --fail-fast");
    project.write("spec/a_spec.rb", "RSpec.describe(\"a\") { it(\"fails\") { raise \"no\" } }\n");
    project.write("spec/broken_spec.rb", "require \"no/such/file\"\n");
    let tested = project.tested(&[]);
    let wanted = ["spec/a_spec.rb > a > fails failed", BOTH[0], BOTH[1]];
    assert_eq!(outcomes(tested.report()), wanted);
    assert_eq!(tested.report()["errors"].as_array().map(Vec::len), Some(1));
    assert_eq!(tested.checks()[0]["ended"]["code"], 1);
}

#[test]
fn two_suites_of_one_program_are_both_seen() {
    let project = project("ruby both.rb");
    project.write("spec/other_spec.rb", "RSpec.describe(\"other\") { it(\"is\") {} }\n");
    let run = |file: &str| format!("RSpec::Core::Runner.run([\"spec/{file}\"])\n");
    let (first, second) = (run("calc_spec.rb"), run("other_spec.rb"));
    project
        .write("both.rb", format!("require \"rspec/core\"\n{first}RSpec.clear_examples\n{second}"));
    let tested = project.tested(&[]);
    let wanted = [BOTH[0], BOTH[1], "spec/other_spec.rb > other > is passed"];
    assert_eq!(outcomes(tested.report()), wanted);
    // The program ends with 0 all the same.
    assert_eq!(tested.verdict(), "failed");
}

#[test]
fn init_suggests_it() {
    for (gemfile, command) in [(true, "bundle exec rspec"), (false, "rspec")] {
        let project = Project::rspec();
        std::fs::remove_file(project.root().join("redgreen.toml")).expect("removed");
        if gemfile {
            project.write("Gemfile", "source \"https://rubygems.org\"\ngem \"rspec\"\n");
        }
        project.redgreen(&["init"]).assert_code(0);
        let written = project.read("redgreen.toml");
        assert!(
            written.contains(&format!("\ncommand = \"{command}\"\nframework = \"rspec\"\n")),
            "{written}"
        );
    }
}
