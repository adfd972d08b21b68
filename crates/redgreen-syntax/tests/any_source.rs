//! Whatever the source is, it is read without a panic, and what is said of it holds together.

use std::collections::BTreeSet;

use proptest::prelude::*;
use redgreen_syntax::{
    GO, JAVA, JAVASCRIPT, Language, PYTHON, RUST, TSX, TestFile, Tested, emptied_types,
    expected_answers, judge_seekers, match_tests, outline, rust_test_modules, same_meaning,
    splice_python_doctests, splice_rust, suppressions, tested_inputs, weakenings_among,
};

/// A file of each language that holds most of what is looked for.
const SOURCES: &[(Language, &str, &str)] = &[
    (
        PYTHON,
        "t.py",
        "import pytest\n\ndef check(a):\n    \"\"\"Why.\n\n    >>> check(1)\n    \"\"\"\n    assert a == 1\n\n@pytest.mark.parametrize('a', [1, (2, 'x')])\nclass TestA:\n    def test_a(self, a):\n        try:\n            assert f(a) == pytest.approx(1, abs=1e-3) or True\n        except Exception:\n            pass\n        self.assertEqual(check(a), {'a': 1}[a])\n",
    ),
    (
        JAVASCRIPT,
        "t.test.js",
        "import { f } from './f';\ndescribe('a', () => {\n  it.each([[1, 2]])('b %i', async (a, b) => {\n    try { expect(f(a)).not.toBe(b); } catch {}\n  });\n  test.skip(`c ${d}`, function () { assert.equal(f(), 'x'); x.should.be.true; return; });\n});\nif (process.env.NODE_ENV === 'test') Object.prototype.x = () => true;\n",
    ),
    (
        TSX,
        "t.test.tsx",
        "it('a', () => { const x: number = f<string>(1)!; expect(<A b={x} />).toMatchSnapshot(); });\n",
    ),
    (
        GO,
        "a_test.go",
        "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tfor _, tt := range []struct{ a int }{{1}, {2}} {\n\t\tt.Run(\"x\", func(t *testing.T) {\n\t\t\tif got := f(tt.a); got != 2 || !ok(got) {\n\t\t\t\tt.Errorf(\"got %d\", got)\n\t\t\t}\n\t\t})\n\t}\n\tassert.InDelta(t, 1.5, f(), 0.1)\n}\n",
    ),
    (
        RUST,
        "a.rs",
        "//! Why.\n\n/// Adds.\n///\n/// ```\n/// add(1);\n/// ```\npub fn add(a: i32) -> i32 { if cfg!(test) { 3 } else { a } }\n\nimpl A { #[cfg(test)] fn t() {} }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    #[should_panic]\n    fn a() { assert!((f() - 1.0).abs() < 1e-3, \"{}\", x); assert_eq!(add(1), 2); }\n}\n#[cfg(test)]\nmod more;\n",
    ),
    (
        JAVA,
        "ATest.java",
        "class ATest extends TestCase {\n  @Nested class B {\n    @ParameterizedTest @CsvSource({\"1, 2\"}) void a(int a) {\n      try { assertEquals(1.5, f(a), 0.1); } catch (Throwable t) { }\n      assertThat(f()).as(\"x\").isEqualTo(3);\n    }\n  }\n  public boolean equals(Object o) { return true; }\n}\n",
    ),
];

/// What replaces a piece of a source.
const PIECES: &[&str] = &[
    "", "(", ")", "{", "}", "\"", "'", "`", "\"\"\"", "\n", "    ", "#[", "]", "@", "::", ".", "é",
    "\u{0}", "if ", "return", "///", "```", ">>> ", "//!", ",", "==",
];

/// A source with some pieces of it replaced, at any letter.
fn mutated(source: &str, edits: &[(usize, usize, usize)]) -> String {
    let mut text: Vec<char> = source.chars().collect();
    for (at, length, piece) in edits {
        let at = at % (text.len() + 1);
        let end = (at + length % 12).min(text.len());
        text.splice(at..end, PIECES[piece % PIECES.len()].chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_source_is_read(
        which in 0..SOURCES.len(),
        as_language in 0..SOURCES.len(),
        edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<usize>()), 0..8),
    ) {
        let (_, _, source) = SOURCES[which];
        let (language, path, _) = SOURCES[as_language];
        let new = mutated(source, &edits);
        let read = outline(language, &new);
        let lines = u32::try_from(new.lines().count()).unwrap_or(u32::MAX) + 1;
        for test in &read.tests {
            prop_assert!(!test.path.is_empty());
            prop_assert!(test.line >= 1 && test.line <= test.end_line && test.end_line <= lines);
        }
        let old = [TestFile { path, source }.outlined()];
        let new_files = [TestFile { path, source: &new }.outlined()];
        let matched = match_tests(&old, &new_files);
        let olds: BTreeSet<_> = matched.iter().map(|pair| pair.old).collect();
        prop_assert_eq!(olds.len(), matched.len());
        weakenings_among(&old, &new_files, &matched);
        prop_assert!(same_meaning(language, &new, &new));
        let mut tested = Tested::default();
        tested.add(language, source, false);
        prop_assert!(judge_seekers(language, Some(&new), &new).is_empty());
        judge_seekers(language, Some(source), &new);
        tested_inputs(language, None, &new, &tested);
        expected_answers(language, Some(source), &new, &tested);
        suppressions(language, &new);
        prop_assert!(emptied_types(language, &new, &new).is_empty());
        rust_test_modules(&new);
        prop_assert_eq!(splice_rust(&new, &new), Some(new.clone()));
        splice_rust(source, &new);
        splice_rust(&new, source);
        splice_python_doctests(source, &new);
        splice_python_doctests(&new, source);
    }

    #[test]
    fn a_source_matches_itself_and_is_no_weaker(which in 0..SOURCES.len(), edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<usize>()), 0..4)) {
        let (_, path, source) = SOURCES[which];
        let source = mutated(source, &edits);
        let files = [TestFile { path, source: &source }.outlined()];
        let matched = match_tests(&files, &files);
        prop_assert_eq!(matched.len(), files[0].outline.tests.len());
        prop_assert!(matched.iter().all(|pair| pair.old == pair.new));
        prop_assert_eq!(weakenings_among(&files, &files, &matched), vec![]);
    }

    #[test]
    fn a_splice_of_rust_goes_back(edits in proptest::collection::vec((any::<usize>(), any::<usize>(), any::<usize>()), 0..3)) {
        let source = SOURCES[4].2;
        let new = mutated(source, &edits);
        // Code of one with the tests of the other, and its own tests again: the code is what it was.
        if let Some(mixed) = splice_rust(&new, source)
            && let Some(back) = splice_rust(&mixed, &new)
        {
            let again = splice_rust(&back, &new).unwrap_or_default();
            prop_assert!(same_meaning(RUST, &again, &back), "{}\n---\n{}", again, back);
        }
    }
}

#[test]
fn long_and_deep_sources_have_an_end() {
    let deep =
        [("(", ")"), ("[", "]"), ("{", "}"), ("if x:\n", ""), ("describe('a', () => {", "})")];
    for (open, close) in deep {
        let source = format!("{}{}", open.repeat(1_000), close.repeat(1_000));
        for (language, _, _) in SOURCES {
            outline(*language, &source);
            judge_seekers(*language, None, &source);
        }
    }
}
