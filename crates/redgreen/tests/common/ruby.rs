//! Projects of Ruby.

use super::Project;

/// `add`, which is right, and `subtract`, which is wrong.
pub const CALC: &str = "module Calc\n  def self.add(a, b)\n    a + b\n  end\n\n  def self.subtract(a, b)\n    a + b\n  end\nend\n";
/// A spec for each.
pub const SPEC: &str = "require_relative \"../lib/calc\"\n\nRSpec.describe Calc do\n  it \"adds\" do\n    expect(Calc.add(2, 2)).to eq 4\n  end\n\n  it \"subtracts\" do\n    expect(Calc.subtract(5, 3)).to eq 2\n  end\nend\n";

impl Project {
    /// A small project of RSpec.
    pub fn rspec() -> Self {
        let project = Self::empty();
        project.write("lib/calc.rb", CALC);
        project.write("spec/calc_spec.rb", SPEC);
        project.write(
            "redgreen.toml",
            "[[checks]]\nname = \"unit\"\ncommand = \"rspec\"\nframework = \"rspec\"\n",
        );
        project.commit();
        project
    }
}
