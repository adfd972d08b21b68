use serde_json::json;

use super::*;

fn append_at(text: &str, name: Option<&str>, value: &serde_json::Value) -> String {
    let root = parse(text, Comments::Allowed).expect("it is JSON");
    append(text, &root, &root, name, value)
}

#[test]
fn positions_lead_to_the_text_itself() {
    let text = "\u{feff}{ /* one */ \"a\\u0062\" : [1, {\"c\": null}], // two\n\"d\":\"e\"}";
    let root = parse(text, Comments::Allowed).expect("it is JSON");
    let shown = |node: &Node| text[node.start..node.end].to_owned();
    assert_eq!(shown(root.get("ab").expect("a list")), "[1, {\"c\": null}]");
    assert_eq!(root.get("d").and_then(Node::text), Some("e"));
    assert_eq!(root.items().len(), 2);
    assert_eq!(root.items()[1].comma, None);
}

#[test]
fn what_is_no_json_is_refused_with_its_line() {
    let deep = "[".repeat(10_000);
    for (text, line) in [
        ("", 1),
        ("\n\n", 3),
        ("{\"a\": 1,}", 1),
        ("{\"a\": 1\n \"b\": 2}", 1),
        ("{a: 1}", 1),
        ("{'a': 1}", 1),
        ("{} {}", 1),
        ("{\"a\": 01}", 1),
        ("{\"a\": \"\n\"}", 1),
        ("{\"a\": \"\\x\"}", 1),
        ("{\"a\": \"", 1),
        ("{\"a\": nul}", 1),
        ("{} /* no end", 1),
        ("\n\n/ {}", 3),
        (deep.as_str(), 1),
    ] {
        let wrong = parse(text, Comments::Allowed).expect_err(text);
        assert_eq!(wrong.line, line, "{wrong} in {:?}", text.get(..20));
    }
    assert!(parse("{} // a note", Comments::Allowed).is_ok());
    assert!(parse("{} // a note", Comments::Refused).is_err());
}

#[test]
fn an_addition_is_written_like_what_is_around_it() {
    let value = json!({"b": [1]});
    for (text, expected) in [
        ("{\"a\": 1}", "{\"a\": 1, \"n\": {\"b\": [1]}}"),
        (
            "{\n  \"a\": 1\n}\n",
            "{\n  \"a\": 1,\n  \"n\": {\n    \"b\": [\n      1\n    ]\n  }\n}\n",
        ),
        (
            "{\r\n\t\"a\": 1 // one\r\n}",
            "{\r\n\t\"a\": 1,\r\n\t\"n\": {\r\n\t\t\"b\": [\r\n\t\t\t1\r\n\t\t]\r\n\t} // one\r\n}",
        ),
        ("{}", "{ \"n\": {\n  \"b\": [\n    1\n  ]\n}}"),
    ] {
        assert_eq!(append_at(text, Some("n"), &value), expected, "{text}");
    }
}

#[test]
fn what_is_cut_takes_its_comma_and_leaves_comments() {
    for (text, index, expected) in [
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[ 1 ]", 0, "[ ]"),
        ("[/* a */ 1]", 0, "[/* a */ ]"),
        ("[1, // one\n 2]", 1, "[1 // one\n ]"),
        ("[1, // one\n 2]", 0, "[ // one\n 2]"),
        ("[\n  1,\n  2\n]", 1, "[\n  1\n]"),
    ] {
        let root = parse(text, Comments::Allowed).expect("it is JSON");
        let cut = cut(text, &root, index);
        assert_eq!(cut, expected);
        assert!(parse(&cut, Comments::Allowed).is_ok(), "{cut}");
    }
}
