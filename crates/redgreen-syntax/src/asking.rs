//! Tests that ask for nothing that a wrong answer would not have as well.

use crate::assertion::{Assertion, Strength};
use crate::outline::TestItem;

/// Questions that nearly every answer pleases, as they are written without blanks.
const ANY_ANSWER: &[&str] = &[
    "isnotNone",
    "isinstance(",
    "callable(",
    "hasattr(",
    ">=0",
    "assertIsNotNone(",
    "assertIsInstance(",
    ".toBeDefined(",
    ".not.toBeNull(",
    ".not.toBeUndefined(",
    ".toBeInstanceOf(",
    "assertNotNull(",
    "assertInstanceOf(",
    "NotNil(",
    "be_a(",
    "be_an_instance_of(",
    "not_tobe_nil",
];
/// Questions about how the code is written and not about what it does.
const ABOUT_SOURCE: &[&str] =
    &["getsource(", "__doc__", "__annotations__", ".toString().includes("];

/// Whether a test has assertions, and none of them asks for more than that there is an answer.
pub fn asks_nothing(test: &TestItem) -> bool {
    !test.assertions.is_empty() && test.assertions.iter().all(pleases)
}

fn pleases(assertion: &Assertion) -> bool {
    let text: String = assertion.text.split_whitespace().collect();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    !assertion.is_live()
        || has(ABOUT_SOURCE)
        || (assertion.strength == Strength::Loose && has(ANY_ANSWER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GO, JAVASCRIPT, Language, PYTHON, outline};

    #[test]
    fn what_any_answer_pleases_asks_nothing() {
        let python = |body: &str| format!("def test_a():\n    {body}\n");
        let node = |body: &str| format!("test('a', () => {{ {body} }});\n");
        let cases: &[(Language, String, bool)] = &[
            (PYTHON, python("assert f(3) is not None"), true),
            (PYTHON, python("assert isinstance(f(3), int)"), true),
            (PYTHON, python("assert len(f(3)) >= 0"), true),
            (PYTHON, python("assert True"), true),
            (PYTHON, python("x = 1\n    assert x == x"), true),
            (PYTHON, python("assert 'Adds' in f.__doc__"), true),
            (PYTHON, python("assert 'return' in inspect.getsource(f)"), true),
            (JAVASCRIPT, node("expect(f(3)).toBeDefined();"), true),
            (JAVASCRIPT, node("expect(f(3)).not.toBeNull();"), true),
            // Honest.
            (PYTHON, python("assert f(3) == 4"), false),
            (PYTHON, python("assert f(3) is not None\n    assert f(3).name == 'a'"), false),
            (PYTHON, python("assert f(3) is None"), false),
            (PYTHON, python("assert 'a' in f(3)"), false),
            (PYTHON, python("f(3)"), false),
            (PYTHON, python("with pytest.raises(ValueError):\n        f(3)"), false),
            (PYTHON, python("assert is_valid('a')"), false),
            (JAVASCRIPT, node("expect(f(3)).toBe(4);"), false),
            (JAVASCRIPT, node("expect(isValid('a')).toBeTruthy();"), false),
            (
                GO,
                "package a\nfunc TestA(t *testing.T) { if f(3) != 4 { t.Fatal() } }".to_owned(),
                false,
            ),
        ];
        for (language, source, wanted) in cases {
            let tests = outline(*language, source).tests;
            assert_eq!(tests.len(), 1, "{source}");
            assert_eq!(asks_nothing(&tests[0]), *wanted, "{source}\n{:?}", tests[0].assertions);
        }
    }
}
