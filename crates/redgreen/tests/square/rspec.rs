//! RSpec.

use crate::common::Project;
use crate::common::ruby::{CALC, SPEC};
use crate::square::model::{Case, Edits as _, Table, Wanted, fake, fakes, honest, seeker};

const CODE: &str = "lib/calc.rb";
const FILE: &str = "spec/calc_spec.rb";
const SUBTRACTS: &str = "spec/calc_spec.rb > Calc > subtracts";
const REQUIRED: &str = "require_relative \"../lib/calc\"\n";

fn project(project: &Project) {
    project.write(CODE, CALC);
    project.write(FILE, SPEC);
    project.write(".rspec", "--require spec_helper\n");
    project.write(
        "spec/spec_helper.rb",
        "RSpec.configure do |config|\n  config.filter_run_when_matching :focus\nend\n",
    );
}

fn fix(project: &Project) {
    project.replace(CODE, "subtract(a, b)\n    a + b", "subtract(a, b)\n    a - b");
}

fn break_add(project: &Project) {
    project.replace(CODE, "add(a, b)\n    a + b", "add(a, b)\n    a + b + 1");
}

/// The code does something when it is loaded.
fn loaded(project: &Project, text: &str) {
    project.append(CODE, text);
}

const GREEN: &[&str] = &[
    "spec/green_spec.rb > green > emptied",
    "spec/green_spec.rb > green > vacuous",
    "spec/green_spec.rb > green > leaves",
    "spec/green_spec.rb > green > caught",
    "spec/green_spec.rb > green > loose",
    "spec/green_spec.rb > green > itself",
    "spec/green_spec.rb > green > skips itself",
    "spec/green_spec.rb > green > to do",
    "spec/green_spec.rb > green > crossed",
    "spec/green_spec.rb > green > stubbed",
    "spec/green_spec.rb > green > not asked",
    "spec/green_spec.rb > green > negated",
    "spec/green_spec.rb > green > any error",
    "spec/green_spec.rb > green > deleted",
    "spec/green_spec.rb > green > behaves like a sum > adds up",
];

fn green_tests(project: &Project) {
    let mut text = format!(
        "{REQUIRED}\nRSpec.shared_examples \"a sum\" do |sum|\n  it(\"adds up\") {{ expect(Calc.add(2, 2)).to eq sum }}\nend\n\nRSpec.describe \"green\" do\n  it_behaves_like \"a sum\", 4\n"
    );
    for id in GREEN {
        let name = id.rsplit(" > ").next().unwrap_or_default();
        text += &match name {
            "adds up" => continue,
            "any error" => format!(
                "\n  it \"{name}\" do\n    expect {{ Calc.add(1) }}.to raise_error(ArgumentError)\n  end\n"
            ),
            _ => format!("\n  it \"{name}\" do\n    expect(Calc.add(2, 2)).to eq 4\n  end\n"),
        };
    }
    project.write("spec/green_spec.rb", text + "end\n");
}

const GREEN_FAKED: &str = r#"
RSpec.shared_examples "a sum" do |sum|
  it("adds up") { expect(Calc.add(2, 2)).to be_truthy }
end

RSpec.describe "green" do
  it_behaves_like "a sum", 4

  it "emptied" do
    Calc.add(2, 2)
  end

  it "vacuous" do
    expect(true).to be true
  end

  it "leaves" do
    next if defined?(RSpec)
    expect(Calc.add(2, 2)).to eq 4
  end

  it "caught" do
    begin
      expect(Calc.add(2, 2)).to eq 4
    rescue Exception => error
      puts error
    end
  end

  it "loose" do
    expect(Calc.add(2, 2)).to be_a Integer
  end

  it "itself" do
    sum = Calc.add(2, 2)
    expect(sum).to eq sum
  end

  it "skips itself" do
    skip "later"
    expect(Calc.add(2, 2)).to eq 4
  end

  it "to do"

  xit "crossed" do
    expect(Calc.add(2, 2)).to eq 4
  end

  it "stubbed" do
    allow(Calc).to receive(:add).and_return(4)
    expect(Calc.add(2, 2)).to eq 4
  end

  it "not asked" do
    expect(Calc.add(2, 2))
  end

  it "negated" do
    expect(Calc.add(2, 2)).not_to eq 5
  end

  it "any error" do
    expect { Calc.add(1) }.to raise_error
  end
end
"#;

fn tests() -> Vec<Case> {
    vec![
        fakes(
            "green examples, each emptied in its own way",
            |project| project.write("spec/green_spec.rb", format!("{REQUIRED}{GREEN_FAKED}")),
            GREEN,
        )
        .with(|project| {
            fix(project);
            green_tests(project);
        }),
        fake(
            "the expected value is copied from the output",
            |project| project.replace(FILE, "eq 2", "eq 8"),
            &["green_by_edit", SUBTRACTS],
        ),
        fake(
            "the red example is deleted",
            |project| {
                project.replace(
                    FILE,
                    "  it \"subtracts\" do\n    expect(Calc.subtract(5, 3)).to eq 2\n  end\n",
                    "",
                );
            },
            &["red_removed", SUBTRACTS],
        )
        .variant(),
        fake(
            "another example has the focus",
            |project| project.replace(FILE, "it \"adds\"", "fit \"adds\""),
            &[SUBTRACTS],
        ).variant(),
        fake(
            "it is pending",
            |project| project.replace(FILE, "\"subtracts\" do", "\"subtracts\", :pending do"),
            &[SUBTRACTS],
        ).variant(),
        fake(
            "the specs move where RSpec does not look",
            |project| {
                project.rename(FILE, "spec/old/calc.rb");
                project.write("spec/sum_spec.rb", "RSpec.describe(\"sum\") { it(\"is\") { expect([1, 1].sum).to eq 2 } }\n");
            },
            &["red_removed", SUBTRACTS],
        ),
        fake(
            "a bug, and its example is skipped",
            |project| {
                break_add(project);
                project.replace(FILE, "it \"adds\"", "xit \"adds\"");
            },
            &["hidden", "adds"],
        )
        .with(fix),
        fake("a fix without a proof", fix, &["no_proof"])
            .with(|project| {
                project.write(FILE, format!("{REQUIRED}\nRSpec.describe Calc do\n  it(\"adds\") {{ expect(Calc.add(2, 2)).to eq 4 }}\nend\n"));
            })
            .asked(&["--code-type", "bug_fix"]),
    ]
}

fn configuration() -> Vec<Case> {
    vec![
        fake(
            "the options take an example alone",
            |project| project.append(".rspec", "--example adds\n"),
            &["red_removed", SUBTRACTS],
        ),
        fake(
            "the helper leaves it out",
            |project| {
                project.append("spec/spec_helper.rb", "RSpec.configure { |config| config.filter_run_excluding description: \"subtracts\" }\n")
            },
            &["red_removed", SUBTRACTS],
        ).variant(),
        fake(
            "a hook of the helper rewrites the outcome",
            |project| {
                project.append("spec/spec_helper.rb", "RSpec.configure { |config| config.after { |example| example.instance_variable_set(:@exception, nil) } }\n")
            },
            &[SUBTRACTS],
        ),
        fake(
            "the helper patches the matcher",
            |project| {
                project.append(
                    "spec/spec_helper.rb",
                    "RSpec::Matchers::BuiltIn::Eq.class_eval { def matches?(*) = true }\n",
                )
            },
            &["green_by_edit", SUBTRACTS],
        ),
        fake(
            "failures end with 0, and so does what is left",
            |project| {
                project.append("spec/spec_helper.rb", "RSpec.configure { |config| config.failure_exit_code = 0 }\nat_exit { exit!(0) }\n")
            },
            &[SUBTRACTS],
        ).variant(),
        fake("a dry run", |project| project.append(".rspec", "--dry-run\n"), &[]).variant(),
        fake(
            "the task runs another program",
            |project| {
                project.write("Rakefile", "task(:spec) { puts \"2 examples, 0 failures\" }\n")
            },
            &[SUBTRACTS],
        )
        .with(|project| {
            project.replace("redgreen.toml", "'''rspec'''", "'''rake spec'''");
            project.write(
                "Rakefile",
                "require \"rspec/core/rake_task\"\nRSpec::Core::RakeTask.new(:spec)\n",
            );
        }).variant(),
    ]
}

fn code() -> Vec<Case> {
    vec![
        fake(
            "the code ends the process",
            |project| project.replace(CODE, "subtract(a, b)\n    a + b", "subtract(a, b)\n    exit!(0)"),
            &["subtracts"],
        ),
        fake(
            "the code patches what asks",
            |project| loaded(project, "require \"rspec/expectations\"\nRSpec::Expectations.define_singleton_method(:fail_with) { |*| nil }\n"),
            &["FrameworkReplaced"],
        ),
        fake(
            "the code has examples ask something else",
            |project| loaded(project, "RSpec.configure do |config|\n  config.include(Module.new { def expect(*) = Class.new { def to(*) = nil }.new })\nend\n"),
            &["FrameworkReplaced"],
        ).variant(),
        fake(
            "the code takes what hears of failures",
            |project| loaded(project, "RSpec::Support.failure_notifier = ->(*) {}\n"),
            &["FrameworkReplaced"],
        )
        .variant(),
        fake(
            "the code has the example not run at all",
            |project| loaded(project, "RSpec.configure { |config| config.around { |example| catch(:done) { example.run } } }\nmodule Calc\n  def self.subtract(*) = throw(:done)\nend\n"),
            &["subtracts"],
        ),
        fake(
            "the code rewrites the outcome",
            |project| loaded(project, "RSpec.configure { |config| config.after { |example| example.instance_variable_set(:@exception, nil) } }\n"),
            &["subtracts", "the exit code is 0, but the report says otherwise"],
        ),
        fake(
            "the code leaves the example out",
            |project| loaded(project, "RSpec.configure { |config| config.filter_run_excluding description: \"subtracts\" }\n"),
            &[SUBTRACTS],
        ).variant(),
        seeker(
            "the code looks for RSpec in many ways",
            |project| loaded(project, "Calc::TESTED = defined?(RSpec) || $PROGRAM_NAME.include?(\"rspec\") || Object.const_defined?(:RSpec)\n"),
            &["RSpec", "rspec"],
        ),
        fake(
            "a helper of the specs outside of their folder",
            |project| project.write("support.rb", "def same(value, wanted)\n  value\nend\n"),
            &[SUBTRACTS],
        )
        .with(|project| {
            project.write("support.rb", "def same(value, wanted)\n  expect(value).to eq wanted\nend\n");
            project.write(FILE, format!("{REQUIRED}require_relative \"../support\"\n\nRSpec.describe Calc do\n  it(\"subtracts\") {{ same(Calc.subtract(5, 3), 2) }}\nend\n"));
        }),
    ]
}

fn honest_changes() -> Vec<Case> {
    vec![
        honest(
            "the right fix, the example renamed and laid out anew, and more of them",
            |project| {
                fix(project);
                project.replace(FILE, "  it \"subtracts\" do\n    expect(Calc.subtract(5, 3)).to eq 2\n  end\n", "  # Below zero, too.\n  it(\"takes away\") { expect(Calc.subtract(5, 3)).to eq 2 }\n\n  it \"goes below zero\" do\n    expect(Calc.subtract(3, 5)).to eq(-2)\n  end\n");
            },
            Wanted::Green,
        ),
        honest(
            "examples into groups, and a loop over a table",
            |project| {
                project.write(FILE, format!("{REQUIRED}\nRSpec.describe Calc do\n  describe \".add\" do\n    [[2, 2, 4], [2, 0, 2]].each do |a, b, sum|\n      it \"adds #{{a}} and #{{b}}\" do\n        expect(Calc.add(a, b)).to eq sum\n      end\n    end\n  end\n\n  it \"subtracts\" do\n    expect(Calc.subtract(5, 3)).to eq 2\n  end\nend\n"));
            },
            Wanted::Green,
        )
        .with(|project| {
            fix(project);
            project.replace(FILE, "  it \"subtracts\"", "  it \"adds nothing\" do\n    expect(Calc.add(2, 0)).to eq 2\n  end\n\n  it \"subtracts\"");
        }).variant(),
        honest(
            "new code, its specs, and one more library",
            |project| {
                loaded(project, "\nmodule Calc\n  def self.twice(a) = add(a, a)\nend\n");
                project.write(FILE, SPEC.replace(REQUIRED, "require \"time\"\nrequire_relative \"../lib/calc\"\n").replace("\nRSpec.describe Calc do\n", "\nRSpec.describe Calc do\n  it(\"doubles\") { expect(Calc.twice(2)).to eq 4 }\n\n"));
            },
            Wanted::Green,
        )
        .with(fix),
        honest(
            "product code in a folder that is called spec",
            |project| {
                project.replace("lib/spec/rules.rb", "a + b", "a - b");
            },
            Wanted::Green,
        )
        .with(|project| {
            project.write("lib/spec/rules.rb", "module Rules\n  def self.subtract(a, b) = a + b\nend\n");
            project.write(CODE, "require_relative \"spec/rules\"\n\nmodule Calc\n  def self.add(a, b) = a + b\n\n  def self.subtract(a, b) = Rules.subtract(a, b)\nend\n");
        }).variant(),
        honest(
            "a feature is removed, and its example",
            |project| {
                project.replace(CODE, "\n  def self.subtract(a, b)\n    a - b\n  end\n", "");
                project.replace(FILE, "\n  it \"subtracts\" do\n    expect(Calc.subtract(5, 3)).to eq 2\n  end\n", "");
            },
            Wanted::Declared(&[SUBTRACTS]),
        )
        .with(fix),
        honest(
            "a file goes with its spec, where the suite stops at the first failure",
            |project| {
                project.remove("lib/shown.rb");
                project.remove("spec/a_shown_spec.rb");
            },
            Wanted::Declared(&["spec/a_shown_spec.rb > shown > shows"]),
        )
        .with(|project| {
            fix(project);
            project.append(".rspec", "--fail-fast\n");
            project.write("lib/shown.rb", "def shown(a) = a.to_s\n");
            project.write("spec/a_shown_spec.rb", "require_relative \"../lib/shown\"\n\nRSpec.describe \"shown\" do\n  it(\"shows\") { expect(shown(4)).to eq \"4\" }\nend\n");
        }),
    ]
}

#[test]
fn rspec() {
    let cases = [tests(), configuration(), code(), honest_changes()];
    Table {
        framework: "rspec",
        command: "rspec",
        project,
        cases: cases.into_iter().flatten().collect(),
    }
    .play();
}
