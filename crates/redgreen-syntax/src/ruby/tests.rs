//! Tables of Ruby.

use crate::{RUBY, Strength, outline};

use Strength::{Exact, Loose, Vacuous};

fn source(body: &str) -> String {
    format!("RSpec.describe Calc do\n  it \"a\" do\n    {body}\n  end\nend\n")
}

#[test]
fn assertions_are_as_strong_as_what_they_accept() {
    for (statement, expected) in [
        ("expect(total(x)).to eq(12)", Exact),
        ("expect(total(x)).to eq 12", Exact),
        ("expect(x).not_to eq 12", Loose),
        ("expect(x).to be true", Exact),
        ("expect(x).to be", Loose),
        ("expect(x).to be_truthy", Loose),
        ("expect(x).to be_nil", Exact),
        ("expect(x).to be > 3", Loose),
        ("expect(x).to be_a(Integer)", Loose),
        ("expect(x).to be_a(Object)", Vacuous),
        ("expect(x).to eq(anything)", Vacuous),
        ("expect(x).to include(1)", Loose),
        ("expect(x).to contain_exactly(1, 2)", Exact),
        ("expect(x).to eq(1).or eq(2)", Loose),
        ("expect(true).to be true", Vacuous),
        ("expect(1 + 1).to eq 2", Vacuous),
        ("expect(x).to eq x", Vacuous),
        ("expect(f(1)).to eq f(1)", Loose),
        ("expect(x)", Vacuous),
        ("expect { f }.to raise_error", Loose),
        ("expect { f }.to raise_error(ArgumentError)", Exact),
        ("expect { f }.not_to raise_error", Loose),
        ("expect { f }.to change { x }", Loose),
        ("expect { f }.to change { x }.by(1)", Exact),
        ("expect(x).to be_within(0.001).of(0.3)", Exact),
        ("expect(x).to be_within(5).of(0.3)", Loose),
        ("expect(x).to satisfy { true }", Vacuous),
        ("expect(spy).to have_received(:call)", Loose),
        ("is_expected.to eq 3", Exact),
        ("x.should eq 3", Exact),
        ("assert_equal 3, x", Exact),
        ("assert x", Loose),
        ("assert true", Vacuous),
    ] {
        let outline = outline(RUBY, &source(statement));
        let found: Vec<_> = outline.tests[0].assertions.iter().map(|it| it.strength).collect();
        assert_eq!(found, [expected], "{statement}");
    }
}

#[test]
fn an_assertion_that_is_not_reached_or_not_heard_asks_nothing() {
    let claim = "expect(add(2, 2)).to eq 4";
    for (body, live) in [
        (claim.to_owned(), true),
        (format!("next\n    {claim}"), false),
        (format!("return\n    {claim}"), false),
        (format!("skip\n    {claim}"), false),
        (format!("skip \"later\"\n    {claim}"), false),
        (format!("exit!(0)\n    {claim}"), false),
        (format!("{claim} if false"), false),
        (format!("{claim} unless true"), false),
        (format!("if false\n {claim}\n end"), false),
        (format!("begin\n {claim}\n rescue Exception\n nil\n end"), false),
        (
            format!(
                "begin\n {claim}\n rescue RSpec::Expectations::ExpectationNotMetError => e\n puts e\n end"
            ),
            false,
        ),
        (format!("begin\n {claim}\n rescue ArgumentError\n nil\n end"), true),
        (format!("begin\n {claim}\n rescue => e\n raise\n end"), true),
        (format!("check = -> {{ {claim} }}"), false),
        (format!("check = -> {{ {claim} }}\n    check.call"), true),
        (format!("[1].each {{ {claim} }}"), true),
        (format!("allow(self).to receive(:add).and_return(4)\n    {claim}"), false),
        (format!("allow(self).to receive(:other).and_return(4)\n    {claim}"), true),
    ] {
        let outline = outline(RUBY, &source(&body));
        let found: Vec<_> =
            outline.tests[0].assertions.iter().filter(|it| it.text.contains("add")).collect();
        assert_eq!(found.iter().any(|it| it.is_live()), live, "{body}");
    }
    let guarded = |body: &str| outline(RUBY, &source(body)).tests[0].assertions[0].guarded;
    assert!(guarded(&format!("{claim} if x")) && guarded(&format!("next if x\n    {claim}")));
    assert!(!guarded(claim));
}

#[test]
fn examples_are_found_with_the_names_that_rspec_gives_them() {
    let text = r##"
require "spec_helper"

RSpec.shared_examples "priced" do |n|
  it("costs #{n}") { expect(n).to be > 1 }
end

describe Shop::Cart, "#total", :fast do
  subject { 3 }
  it { is_expected.to eq 3 }
  it("is small") { is_expected.to be < 4 }
  xit("later") { expect(1).to eq x }
  it "to do"
  pending("some day") { expect(x).to eq 1 }
  it("skips") { skip "now"; expect(x).to eq 1 }
  it "is slow", skip: "always" do
    expect(x).to eq 1
  end
  context "when empty" do
    it_behaves_like "priced", 2
    include_examples "priced", 3
    [1, 2].each do |n|
      specify("row #{n}") { expect(f(n)).to eq n }
    end
  end
  def helper(x)
    expect(x).to eq 3
  end
end
"##;
    let outline = outline(RUBY, text);
    let found: Vec<String> = outline
        .tests
        .iter()
        .map(|test| {
            let marks = [(test.skipped, " skipped"), (test.expected_failure, " pending")];
            let marks: String = marks.iter().filter(|it| it.0).map(|it| it.1).collect();
            format!("{}{marks}", test.path.join(" > "))
        })
        .collect();
    assert_eq!(
        found,
        [
            "Shop::Cart#total > it",
            "Shop::Cart#total > is small",
            "Shop::Cart#total > later skipped",
            "Shop::Cart#total > to do skipped",
            "Shop::Cart#total > some day pending",
            "Shop::Cart#total > skips skipped",
            "Shop::Cart#total > is slow skipped",
            "Shop::Cart#total > when empty > row #{n}",
            "Shop::Cart#total > when empty > behaves like priced > costs #{n}",
            "Shop::Cart#total > when empty > costs #{n}",
        ]
    );
    assert_eq!(outline.tests[7].parameters, ["1", "2"]);
    assert_eq!(outline.imports.len(), 1);
    let helpers: Vec<&str> = outline.helpers.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(helpers, ["\"priced\"", "helper"]);
}

#[test]
fn a_focus_keeps_the_others_from_running() {
    let text = "describe 'a' do\n  fit('b') { expect(x).to eq 1 }\n  it('c') { expect(x).to eq 1 }\n  it('d', :focus) { expect(x).to eq 1 }\nend\n";
    let skipped: Vec<bool> = outline(RUBY, text).tests.iter().map(|it| it.skipped).collect();
    assert_eq!(skipped, [false, true, false]);
}
