//! Known values: what is found of them, in which spelling, and what is left alone.

#![allow(clippy::expect_used, reason = "a test that cannot go on should say so at once")]

use std::io::Write as _;
use std::time::Instant;

use proptest::prelude::*;

use super::search::Search;
use super::*;

fn search_for(values: &[(&str, &str)]) -> Search {
    let known = values.iter().map(|(name, value)| KnownSecret {
        name: (*name).to_owned(),
        value: (*value).to_owned(),
        reach: secret_reach(name, value).expect("a secret"),
    });
    Search::new(known.collect())
}

fn clean(search: &Search, text: &str) -> String {
    let once = replaced(text, &search.secrets(text), &plain).into_owned();
    let twice = replaced(&once, &search.secrets(&once), &plain).into_owned();
    assert_eq!(twice, once, "twice, from {text:?}");
    once
}

#[test]
fn known_values_go_wherever_they_are() {
    let search = search_for(&[
        ("A_KEY", "swordfish-9"),
        ("B_KEY", "passwords-1"),
        ("C_KEY", "ghp_and_more1"),
    ]);
    for (text, wanted) in [
        ("a swordfish-9b", "a [redacted]b"),
        ("password = 'swordfish-9'", "password = '[redacted]'"),
        ("Swordfish-9 swordfish-8", "Swordfish-9 swordfish-8"),
        (
            "passwords-1 passwords-2 password: hunter22",
            "[redacted] passwords-2 password: [redacted]",
        ),
        ("ghp_and_more1 ghp_and_less1", "[redacted] ghp_and_less1"),
        ("passwordswordfish-9", "password[redacted]"),
    ] {
        assert_eq!(clean(&search, text), wanted);
    }
    let github = "ghp_x7Qa2RTmmmWm222amq8a4RqqkRR2axZW4qWk";
    assert_eq!(clean(&search, github), "ghp_[redacted]");
}

/// A value with everything that somebody has to quote.
const NASTY: &str = "p\"a's$w`o\\r<d>&/é#1 x";

#[test]
fn a_value_goes_however_it_is_written() {
    let search = search_for(&[("A_PASSWORD", NASTY)]);
    for written in [
        NASTY,
        // JSON, with letters beyond ASCII as they are and escaped, with escaped slashes, and within JSON.
        r#"p\"a's$w`o\\r<d>&/é#1 x"#,
        r#"p\"a's$w`o\\r<d>&/\u00e9#1 x"#,
        r#"p\"a's$w`o\\r<d>&\/\u00E9#1 x"#,
        r#"p\\\"a's$w`o\\\\r<d>&/é#1 x"#,
        r#"p\"a's$w`o\\r\u003cd\u003e\u0026/é#1 x"#,
        // Python, of text and of bytes.
        r#"p"a\'s$w`o\\r<d>&/é#1 x"#,
        r#"p"a\'s$w`o\\r<d>&/\xe9#1 x"#,
        r#"p"a\'s$w`o\\r<d>&/\xc3\xa9#1 x"#,
        // A shell, in each of its quotes and without any.
        r#"p"a'\''s$w`o\r<d>&/é#1 x"#,
        r#"p"a'"'"'s$w`o\r<d>&/é#1 x"#,
        r#"p\"a's\$w\`o\\r<d>&/é#1 x"#,
        r#"p\"a\'s\$w\`o\\r\<d\>\&/é\#1\ x"#,
        // Addresses: all that is not plain, in capitals or not, with a plus, and as JavaScript does.
        "p%22a%27s%24w%60o%5Cr%3Cd%3E%26%2F%C3%A9%231%20x",
        "p%22a%27s%24w%60o%5cr%3cd%3e%26%2f%c3%a9%231%20x",
        "p%22a%27s%24w%60o%5Cr%3Cd%3E%26/%C3%A9%231+x",
        "p%22a's%24w%60o%5Cr%3Cd%3E%26%2F%C3%A9%231%20x",
        // Pages and reports.
        "p&quot;a&#x27;s$w`o\\r&lt;d&gt;&amp;/é#1 x",
        "p&#34;a&#39;s$w`o\\r&lt;d&gt;&amp;/é#1 x",
        "p\"a's$w`o\\r&lt;d&gt;&amp;/é#1 x",
    ] {
        let text = clean(&search, &format!("it is {written}."));
        assert_eq!(text, "it is [redacted].", "{written}");
    }
    for other in [r#"p\"a's$w`o\\r<d>&/é#2 x"#, "p%22a%27s%24w%60o%5Cr", "it is p\"a's $w"] {
        assert_eq!(clean(&search, &format!("{other} at all")), format!("{other} at all"));
    }
}

#[test]
fn a_value_goes_in_other_codes() {
    let value = "hunter2-is>it??";
    let search = search_for(&[("A_PASSWORD", value)]);
    for (coded, wanted) in [
        // `printf %s "$value" | base64`, and behind one, two and three other letters.
        ("aHVudGVyMi1pcz5pdD8/", "[redacted]"),
        ("eGh1bnRlcjItaXM+aXQ/Pw==", "eG[redacted]"),
        ("eHhodW50ZXIyLWlzPml0Pz8=", "eHh[redacted]"),
        ("bWU6aHVudGVyMi1pcz5pdD8/", "bWU6[redacted]"),
        // With a line end behind it, and for addresses.
        ("aHVudGVyMi1pcz5pdD8/Cg==", "[redacted]Cg=="),
        ("aHVudGVyMi1pcz5pdD8_", "[redacted]"),
        ("aHVudGVyMi1pcz5pdD8%2F", "[redacted]"),
        ("eGh1bnRlcjItaXM-aXQ_Pw", "eG[redacted]"),
        ("eGh1bnRlcjItaXM%2BaXQ%2FPw%3D%3D", "eG[redacted]"),
        // Broken into lines.
        ("aHVudGVyMi1p\ncz5pdD8/\n", "[redacted]\n"),
        ("68756e746572322d69733e69743f3f", "[redacted]"),
        ("68756E746572322D69733E69743F3F", "[redacted]"),
        ("0a68756e746572322d69733e69743f3f0a", "0a[redacted]0a"),
    ] {
        assert_eq!(clean(&search, &format!("it is {coded} x")), format!("it is {wanted} x"));
    }
    for other in ["aHVudGVyMi1pcz5pdD4", "68756e746572322d69733e69743f3e", "aHVudGVyMi1p x"] {
        assert_eq!(clean(&search, other), other);
    }
}

#[test]
fn a_value_of_several_lines_goes_whole_and_line_by_line() {
    let value = "first-l1ne\n\tshort\nthird line has 1 digit\nno digit in this line";
    let search = search_for(&[("A_KEY", value)]);
    for (text, wanted) in [
        (value.to_owned(), "[redacted]"),
        (value.replace('\n', "\r\n"), "[redacted]"),
        (value.replace('\n', "\\n").replace('\t', "\\t"), "[redacted]"),
        (value.replace('\n', "\nE   "), "[redacted]"),
        (value.replace('\n', "%0A").replace('\t', "%09").replace(' ', "+"), "[redacted]"),
        ("the first-l1ne of it".to_owned(), "the [redacted] of it"),
        ("third line has 1 digit".to_owned(), "[redacted]"),
        ("short, and no digit in this line".to_owned(), "short, and no digit in this line"),
    ] {
        assert_eq!(clean(&search, &text), wanted, "{text}");
    }
}

/// What is left of a key by `tail`, `head` and whoever prints one line of it.
#[test]
fn a_line_of_a_private_key_goes_alone() {
    let lines =
        ["q8Zr2LmX0aVt5KdWf7Hy", "/8Zr2LmX+aVt5KdWf7Hy", "KdWfHyQqZrLmXaVtKdWf", "Zr2LmX0aVt=="];
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{}\n-----END RSA PRIVATE KEY-----\n",
        lines.join("\n")
    );
    let search = search_for(&[("ID", &key)]);
    for line in lines {
        assert_eq!(clean(&search, &format!("it is {line}.")), "it is [redacted].");
    }
    for line in ["-----END RSA PRIVATE KEY-----", "Proc-Type: 4,ENCRYPTED", "/8Zr2LmX/aVt"] {
        assert_eq!(clean(&search, &format!("it is {line}.")), format!("it is {line}."));
    }
}

#[test]
fn short_values_go_where_their_name_says_so() {
    let search = search_for(&[
        ("CARD_PIN", "4711"),
        ("DB_PASSWORD", "postgres"),
        ("API_KEY", "s3c!"),
        ("SMTP_PASS", "hunter2"),
        ("AUTH", "plain"),
    ]);
    for (text, wanted) in [
        ("CARD_PIN=4711", "CARD_PIN=[redacted]"),
        ("export card_pin='4711';", "export card_pin='[redacted]';"),
        ("{\"CARD_PIN\": \"4711\", \"n\": 4711}", "{\"CARD_PIN\": \"[redacted]\", \"n\": 4711}"),
        ("{\\\"CARD_PIN\\\": \\\"4711\\\"}", "{\\\"CARD_PIN\\\": \\\"[redacted]\\\"}"),
        ("environ({'CARD_PIN': '4711'})", "environ({'CARD_PIN': '[redacted]'})"),
        ("CARD_PIN: 4711\n", "CARD_PIN: [redacted]\n"),
        ("CARD_PIN => 4711", "CARD_PIN => [redacted]"),
        ("?API_KEY=s3c%21&x=1", "?API_KEY=[redacted]&x=1"),
        ("DB_PASSWORD: postgres", "DB_PASSWORD: [redacted]"),
        ("AUTH=plain", "AUTH=[redacted]"),
        ("it is hunter2, 'hunter2'", "it is [redacted], '[redacted]'"),
        ("SMTP_PASS=hunter2", "SMTP_PASS=[redacted]"),
    ] {
        assert_eq!(clean(&search, text), wanted);
    }
    for text in [
        "4711 tests passed",
        "OTHER_CARD_PIN=4711",
        "CARD_PIN=47110",
        "CARD_PIN == 4711",
        "postgres is up, in plain text",
        "hunter22 hunter2_x xhunter2",
        "DB_PASSWORD is not postgres",
    ] {
        assert_eq!(clean(&search, text), text);
    }
}

#[test]
fn of_a_value_that_was_cut_no_half_stays() {
    let search = search_for(&[("A_KEY", "plain-words-of-the-caller-1")]);
    for (text, wanted) in [
        ("assert 'plain-words-of...", "assert '[redacted]..."),
        ("assert 'plain-words-o...caller-1' x", "assert '[redacted]' x"),
        ("'plain-wo…", "'[redacted]…"),
        ("a.py::t[plain-words#0f1e2d3c", "a.py::t[[redacted]#0f1e2d3c"),
        (
            "plain-words\n[... 7 characters left out ...]\nof-the-caller-1 x",
            "[redacted]\n[... 7 characters left out ...]\n[redacted] x",
        ),
        (
            "plain-words\n[redgreen: 7 bytes of output dropped here, past the log limit of 9 bytes]\nthe-caller-1",
            "[redacted]\n[redgreen: 7 bytes of output dropped here, past the log limit of 9 bytes]\n[redacted]",
        ),
        ("it is plain-words-of-the", "it is [redacted]"),
        // Words that a value begins with are words.
        ("it is plain-words", "it is plain-words"),
        ("it is plain-words.", "it is plain-words."),
    ] {
        assert_eq!(clean(&search, text), wanted);
    }
}

/// What comes out of a text that comes in two pieces.
fn streamed(search: &'static Search, text: &[u8], border: usize) -> String {
    let mut out = Vec::new();
    let mut redactor = Redactor::of(search);
    let (one, other) = text.split_at(border);
    for piece in [one, other] {
        redactor.take(piece, &mut |clean| out.extend_from_slice(clean));
    }
    redactor.end(&mut |clean| out.extend_from_slice(clean));
    String::from_utf8(out).expect("text")
}

#[test]
fn no_border_of_pieces_lets_a_known_value_through() {
    let value = "one-l1ne\ntwo\nand 3 more of it";
    let search: &'static Search =
        Box::leak(Box::new(search_for(&[("A_KEY", value), ("B_PIN", "4711")])));
    let text = format!("a\n{value}\nB_PIN=4711 {}\n\nb", value.replace('\n', "\\n"));
    for border in 0..text.len() {
        let out = streamed(search, text.as_bytes(), border);
        assert_eq!(out, "a\n[redacted]\nB_PIN=[redacted] [redacted]\n\nb", "{border}");
    }
    // A line that is too long to be held back, cut anywhere within the value.
    let long = format!("{}{} y", "x ".repeat(33_000), value.replace('\n', "\\n"));
    for within in 1..value.len() + 2 {
        let out = streamed(search, long.as_bytes(), 66_000 + within);
        assert!(out.ends_with("x [redacted] y"), "{within}");
    }
    // And one that is longer than what is held back of such a line, of several words.
    let phrase = "many w0rds of mine ".repeat(60);
    let search: &'static Search = Box::leak(Box::new(search_for(&[("A_KEY", &phrase)])));
    let long = format!("{}{phrase}y", "x ".repeat(33_000));
    for within in (1..phrase.len()).step_by(97) {
        let out = streamed(search, long.as_bytes(), 66_000 + within);
        assert!(out.ends_with("x [redacted]y"), "{within}");
    }
}

#[test]
fn a_command_tells_what_is_secret_in_it() {
    let command =
        "PIN=1 agent --api-key n0-f0rm-of-a-key --token ghp_short https://me:pa55-word@x/y";
    assert_eq!(unmarked_secrets(command), ["n0-f0rm-of-a-key", "pa55-word"]);
}

#[test]
fn what_is_not_secret_stays_beside_known_values() {
    let search = search_for(&[
        ("A_KEY", "q8Zr2LmX0aVt5KdWf7Hy"),
        ("B_PASSWORD", "Tr0ub4dor&3"),
        ("C_SECRET", "line-0ne\nline-tw0"),
        ("D_TOKEN", "hunter2"),
    ]);
    for text in [
        "d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a",
        "id=123e4567-e89b-12d3-a456-426614174000",
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
        "/home/me/Tr0ub4dor/q8Zr2LmX/line-0n/hunter22",
        "tests/test_token.py::test_secret[password-1]",
        "line-0n3 line-tw1 hunter2x",
    ] {
        assert_eq!(clean(&search, text), text);
    }
}

/// Values and texts that begin alike again and again.
#[test]
fn time_is_linear_in_the_text_with_known_values() {
    let long = "ab".repeat(300) + "1";
    let search = search_for(&[
        ("A_KEY", "\\\\\\\\\\\\\\\\\\\\1a"),
        ("B_KEY", "%%%%%%%%1a"),
        ("C_KEY", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"),
        ("D_KEY", &long),
        ("E_PIN", "4711"),
        ("F_KEY", "aaaaaaaa\naaaaaaab\naaaaaaa1"),
    ]);
    let pieces =
        ["\\", "%", "%25", "a", "ab", "aaaaaaaa\n", "aaaaaaaaaa...", "e_pin=", "6161", "YWFh"];
    for piece in pieces.into_iter().chain([" left out]\naaaaaaaa", "E_PIN='\\", "\\u0061"]) {
        let text = piece.repeat(20_000 / piece.len());
        let start = Instant::now();
        let redacted = clean(&search, &text);
        let _ = writeln!(std::io::stderr(), "{piece:?}: {} ms", start.elapsed().as_millis());
        assert!(redacted.len() <= text.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Any value, written as JSON does, in text that comes in any two pieces.
    #[test]
    fn any_value_goes_as_json_writes_it(
        value in "[ -~é\n]{9,40}",
        before in "[a-z \n]{0,20}",
        border in 0_usize..200,
    ) {
        let value = format!("K1{value}9");
        let known = KnownSecret { name: "A".to_owned(), value: value.clone(), reach: Reach::Anywhere };
        let search: &'static Search = Box::leak(Box::new(Search::new(vec![known])));
        let written = serde_json::to_string(&value).expect("JSON");
        for text in [format!("{before}{written} z"), format!("{before}\"{value}\" z")] {
            let redacted = clean(search, &text);
            prop_assert!(redacted.ends_with("\"[redacted]\" z"), "{text:?} became {redacted:?}");
            let border = text.floor_char_boundary(border.min(text.len()));
            prop_assert_eq!(streamed(search, text.as_bytes(), border), redacted);
        }
    }
}
