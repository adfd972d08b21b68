use proptest::prelude::*;

use super::*;

/// Everything but what has a `t` at its end is code.
fn plain(key: &str) -> Judges {
    if key.starts_with('t') { Judges::Yes } else { Judges::No }
}

fn json(code: Option<&str>, tests: Option<&str>) -> Result<Option<String>, String> {
    spliced(|text| json::read(text, plain), code, tests)
}

fn ini(code: Option<&str>, tests: Option<&str>) -> Result<Option<String>, String> {
    let judges = |section: &str, setting: Option<&str>| match (section, setting) {
        ("mixed", None) => Judges::Partly,
        ("mixed", Some(key)) => plain(key),
        (section, _) => plain(section),
    };
    spliced(|text| Ok(ini::read(text, judges)), code, tests)
}

fn toml(code: Option<&str>, tests: Option<&str>) -> Result<Option<String>, String> {
    let judges = |path: &[&str]| match path {
        ["mixed" | "list"] => Judges::Partly,
        ["mixed" | "list", key] => plain(key),
        ["added"] => Judges::Partly,
        ["added", _] => Judges::Or,
        [key, ..] => plain(key),
        [] => Judges::No,
    };
    spliced(|text| toml::read(text, &judges), code, tests)?.map(toml::checked).transpose()
}

fn xml(code: Option<&str>, tests: Option<&str>) -> Result<Option<String>, String> {
    let judges = |path: &[&str]| match path {
        ["p"] | ["p", "mixed"] | ["p", "known one" | "known two"] => Judges::Partly,
        [.., last] => plain(last),
        [] => Judges::No,
    };
    spliced(|text| xml::read(text, judges), code, tests)
}

type Both = fn(Option<&str>, Option<&str>) -> Result<Option<String>, String>;

/// Format, code, tests, both together.
const SPLICED: &[(Both, &str, &str, &str)] = &[
    (json, "{\"a\": 1, \"t\": 2, \"b\": 3}", "{\"t\": 4}", "{\"a\": 1,\"t\": 4, \"b\": 3}"),
    (json, "{\n  \"a\": 1,\n  \"t\": 2\n}\n", "{}", "{\n  \"a\": 1\n}\n"),
    (
        json,
        "{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 0,\n  \"t\": 2\n}\n",
        "{\n  \"a\": 1,\n  \"t\": 2\n}\n",
    ),
    (json, "{\"t\": [1, 2]}", "{ \"t\" : [1,2] }", "{\"t\": [1, 2]}"),
    (json, "{\"a\": \"}, {\", \"\\u0074\": 2}", "{}", "{\"a\": \"}, {\"}"),
    (json, "{}", "{\"t\": 1}", "{\"t\": 1}"),
    (
        json,
        "{\"b\": 1, \"c\": 2}",
        "{\"t1\": 0, \"b\": 1, \"t2\": 0}",
        "{\"t1\": 0,\"b\": 1, \"t2\": 0, \"c\": 2}",
    ),
    (ini, "[a]\nx = 1\n[t]\ny = 1\n", "[t]\ny = 2\n  3\n", "[a]\nx = 1\n[t]\ny = 2\n  3\n"),
    (ini, "[a]\nx = 1\n", "[b]\n[t]\ny = 2\n", "[t]\ny = 2\n[a]\nx = 1\n"),
    (ini, "[t]\n# other words\ny = 1\n", "[t]\ny = 1\n", "[t]\n# other words\ny = 1\n"),
    (
        ini,
        "[mixed]\na = 1\nt = 2\n",
        "[mixed]\na = 0\nt =\n  5\n# note\n  6\n",
        "[mixed]\na = 1\nt =\n  5\n# note\n  6\n",
    ),
    (ini, "[mixed]\na = 1", "[mixed]\na = 1\nt = 2\n", "[mixed]\na = 1\nt = 2\n"),
    (
        toml,
        "a = 1\n\n[t]\nx = 1\n\n[b]\ny = 1\n",
        "[t]\nx = 2\n",
        "a = 1\n[t]\nx = 2\n\n[b]\ny = 1\n",
    ),
    (toml, "a = 1\nt = '''\n[x]\n'''\n[b]\n", "t = 3\n", "a = 1\nt = 3\n[b]\n"),
    (toml, "[t.x.y]\na = 1\n[b]\n", "", "[b]\n"),
    (
        toml,
        "[mixed]\na = 1\n",
        "[mixed]\ntest = [\n  1, # one ]\n]\n",
        "[mixed]\ntest = [\n  1, # one ]\n]\na = 1\n",
    ),
    (toml, "[b]\n", "[mixed]\na = 1\ntest = false\n", "[mixed]\ntest = false\n[b]\n"),
    (toml, "[mixed]\ntest = false\n[b]\n", "[b]\n", "[b]\n"),
    (toml, "\"\\u0074est\" = 1\n", "", ""),
    (
        toml,
        "[[list]]\nname = \"new\"\n[[list]]\nname = \"x\"\ntest = false\n",
        "[[list]]\nname = \"x\"\ntest = true\n[[list]]\nname = \"gone\"\ntest = false\n",
        "[[list]]\nname = \"new\"\n[[list]]\nname = \"x\"\ntest = true\n",
    ),
    (
        toml,
        "[added]\nx = \"fake\"\nnew = \"1\"\n",
        "[added]\nx = \"1\"\nold = \"1\"\n",
        "[added]\nx = \"1\"\nold = \"1\"\nnew = \"1\"\n",
    ),
    (xml, "<p>\n <a/>\n <t>1</t>\n</p>\n", "<p><t>2</t></p>", "<p>\n <a/><t>2</t>\n</p>\n"),
    (
        xml,
        "<p>\n <a/>\n</p>",
        "<p>\n <mixed>\n  <t/>\n  <b/>\n </mixed>\n</p>",
        "<p>\n <mixed>\n  <t/>\n </mixed>\n <a/>\n</p>",
    ),
    (
        xml,
        "<?xml version='1.0'?>\n<p><!-- <t> --><a x='>'/><t/></p>",
        "<p/>",
        "<?xml version='1.0'?>\n<p><!-- <t> --><a x='>'/></p>",
    ),
    (
        xml,
        "<p><known><id>one</id><t/></known></p>",
        "<p><known><id>two</id><t/></known></p>",
        "<p><known><id>one</id></known></p>",
    ),
    (xml, "<p><t>\n 1  2</t></p>", "<p><t> 1 2</t></p>", "<p><t>\n 1  2</t></p>"),
];

#[test]
fn code_of_one_with_what_judges_of_the_other() {
    for (format, code, tests, wanted) in SPLICED {
        let found = format(Some(code), Some(tests)).unwrap().unwrap_or_default();
        assert_eq!(&found, wanted, "{code} with {tests}");
    }
}

#[test]
fn with_itself_a_text_is_itself_and_what_was_taken_out_goes_back() {
    for (format, code, tests, _) in SPLICED {
        for text in [code, tests] {
            assert_eq!(format(Some(text), Some(text)).unwrap().as_deref(), Some(*text), "{text}");
        }
        for (new, old) in [(code, tests), (tests, code)] {
            // What was added stays, and the last line gets its end.
            if new.contains("[added]") || !new.ends_with('\n') && new.starts_with('[') {
                continue;
            }
            for old in [Some(*old), None] {
                let mixed = format(Some(new), old).unwrap();
                let back = format(mixed.as_deref(), Some(new)).unwrap();
                assert_eq!(back.as_deref().unwrap_or_default(), *new, "{old:?} gave {mixed:?}");
            }
        }
    }
}

#[test]
fn what_is_absent_has_no_part() {
    let text = "[t]\nx = 1\n[b]\ny = 1\n";
    assert_eq!(toml(None, Some(text)), Ok(Some("[t]\nx = 1\n".to_owned())));
    assert_eq!(toml(Some(text), None), Ok(Some("[b]\ny = 1\n".to_owned())));
    assert_eq!(toml(Some("[t]\nx = 1\n"), None), Ok(None));
    assert_eq!(toml(None, Some("[b]\n")), Ok(None));
    assert_eq!(json(None, None), Ok(None));
}

#[test]
fn what_cannot_be_taken_apart_is_said() {
    let cases: &[(Both, &str, &str)] = &[
        (json, "{\"a\": }", "the code's: not JSON"),
        (json, "[1]", "the code's: not a JSON object"),
        (toml, "a = [", "the code's: not TOML"),
        (toml, "mixed = { a = 1, test = false }", "`mixed` is written as an inline table"),
        (xml, "<p><a></p>", "not XML: </p> closes nothing"),
        (xml, "<p>", "not XML: <p> has no end"),
        (xml, "<p", "not XML: a tag has no end"),
    ];
    for (format, code, wanted) in cases {
        let found = format(Some(code), None).unwrap_err();
        assert!(found.contains(wanted), "{code}: {found}");
    }
    // Both ways to write a table, one from each side.
    let found = toml(Some("mixed.a = 1\n"), Some("[mixed]\ntest = 1\n")).unwrap_err();
    assert!(found.contains("put together it is not TOML"), "{found}");
}

/// Entries of a file: a key, whether it judges, and a value.
fn entries() -> impl Strategy<Value = Vec<(String, u8)>> {
    prop::collection::vec(("[at][a-d]", 0_u8..4), 0..8).prop_map(|mut entries| {
        let mut seen = std::collections::BTreeSet::new();
        entries.retain(|(key, _)| seen.insert(key.clone()));
        entries
    })
}

/// The same entries in each format; tables for TOML, sections for INI, elements for XML.
fn written(entries: &[(String, u8)]) -> [(Both, String); 4] {
    let lines = |line: fn(&str, u8) -> String, between: &str| -> String {
        let lines: Vec<String> = entries.iter().map(|(key, value)| line(key, *value)).collect();
        lines.join(between)
    };
    [
        (json, format!("{{{}\n}}\n", lines(|key, value| format!("\n  \"{key}\": [{value}]"), ","))),
        (toml, lines(|key, value| format!("\n# {value}\n[{key}]\nx = [\n  {value},\n]\n"), "")),
        (ini, lines(|key, value| format!("[{key}]\nx =\n  {value}\n\n"), "")),
        (
            xml,
            format!("<p>{}\n</p>", lines(|key, value| format!("\n  <{key}>{value}</{key}>"), "")),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever two versions hold: one with itself is itself, what was taken out goes back, and of each
    /// entry the side that it belongs to decides.
    #[test]
    fn sides_can_be_exchanged(old in entries(), new in entries()) {
        for ((format, old_text), (_, new_text)) in written(&old).into_iter().zip(written(&new)) {
            let whole = format(Some(&new_text), Some(&new_text)).unwrap();
            prop_assert_eq!(whole.unwrap_or_default(), new_text.clone());
            let mixed = format(Some(&new_text), Some(&old_text)).unwrap();
            let back = format(mixed.as_deref(), Some(&new_text)).unwrap();
            prop_assert_eq!(back.unwrap_or_default(), new_text.clone(), "{:?}", mixed);
            let twice = format(mixed.as_deref(), Some(&old_text)).unwrap();
            prop_assert_eq!(twice, mixed.clone());
            let mixed = mixed.unwrap_or_default();
            for (key, value) in new.iter().filter(|(key, _)| !key.starts_with('t'))
                .chain(old.iter().filter(|(key, _)| key.starts_with('t')))
            {
                let at = mixed.find(key.as_str());
                prop_assert!(at.is_some(), "{} in {}", key, mixed);
                let rest = &mixed[at.unwrap()..];
                let digit = rest.chars().find(char::is_ascii_digit);
                prop_assert_eq!(digit, char::from_digit(u32::from(*value), 10), "{} in {}", key, mixed);
            }
        }
    }
}
