#![allow(clippy::expect_used, reason = "a test that cannot go on should say so at once")]

use std::io::Write as _;
use std::time::Instant;

use proptest::prelude::*;

use super::forms::{FORMS, Form};
use super::*;

/// Letters and digits, none twice in a row, different for each seed.
fn filling(count: usize, seed: u64, kind: char) -> String {
    let (letters, first): (&[u8], _) = match kind {
        'U' => (b"QZ7WX2", *b"X7Q2"),
        'H' => (b"a4f9c2d8", *b"c7a2"),
        _ => (b"aR4kZ9mTx2Wq8", *b"x7Qa"),
    };
    let step = |state: u64| state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
    let states = std::iter::successors(Some(step(seed)), |state| Some(step(*state)));
    let mut made: Vec<u8> = states
        .take(count)
        .map(|state| letters[usize::try_from(state >> 33).expect("small") % letters.len()])
        .collect();
    // What is made by chance has all kinds of letters; so has this, however short.
    for (place, byte) in made.iter_mut().zip(first) {
        *place = byte;
    }
    String::from_utf8(made).expect("ASCII")
}

/// A text of the table with its gaps filled, and what the gaps were filled with.
fn filled(pattern: &str, seed: u64) -> (String, Vec<String>) {
    let (mut text, mut parts) = (String::new(), Vec::new());
    let mut rest = pattern;
    while let Some((before, gap)) = rest.split_once('{') {
        let Some((count, after)) = gap.split_once('}') else { break };
        let kind = count.chars().next().unwrap_or(' ');
        let Ok(count) = count.trim_start_matches(['U', 'H']).parse() else {
            text.push_str(before);
            text.push('{');
            rest = gap;
            continue;
        };
        let part = filling(count, seed + parts.len() as u64, kind);
        text.push_str(before);
        text.push_str(&part);
        parts.push(part);
        rest = after;
    }
    text.push_str(rest);
    (text, parts)
}

#[test]
fn every_form_finds_its_example_and_leaves_its_near_miss() {
    for Form { beginning, example: (example, wanted), near_miss, .. } in FORMS {
        let example = filled(example, 1).0;
        assert_eq!(redact(&example), *wanted, "{beginning}");
        let is_begun = example.to_ascii_lowercase().contains(&beginning.to_ascii_lowercase());
        assert!(is_begun, "{beginning}");
        let near_miss = filled(near_miss, 1).0;
        assert_eq!(redact(&near_miss), near_miss, "{beginning}");
    }
}

#[test]
fn no_beginning_is_within_another() {
    let beginnings: Vec<_> = FORMS.iter().map(|form| form.beginning.to_ascii_lowercase()).collect();
    for one in &beginnings {
        let within = beginnings.iter().find(|other| other[1..].contains(one.as_str()));
        assert!(within.is_none(), "{one} is within {within:?}");
    }
}

#[test]
fn what_programs_say_of_secrets_stays() {
    for text in [
        "token = tokens[0]",
        "password: str",
        "def login(user, password=None, token=default_token):",
        "client = Client(token=token, secret=secret2, api_key=api_key)",
        "Unexpected token: 'function'",
        "SyntaxError: Unexpected token '}', \"{\"a\":}\" is not valid JSON",
        "E   KeyError: 'password'",
        "let token: Option<u64> = None;",
        "pub password: String,",
        "token := lexer.Next()",
        "self.api_key = settings.v2.api_key",
        "password = os.environ[\"PASSWORD\"]",
        "assert token == \"abcdefgh12\"",
        "if (token === 'x1y2z3w4') {",
        "token=12, secret=false, password=''",
        "token=IDENT expected token=NUMBER or token=STRING_LITERAL not token=LeftParen",
        "max_tokens=4096",
        "the secret: nobody knows",
        "tokenizer::token::Kind",
        "https://example.com/a:b@c",
        "http://localhost:8080/path",
        "password: \"${DB_PASSWORD}\"",
        "password=$DB_PASSWORD",
        "token: \"<your token>\"",
        "api_key: xxxxxxxxxxxx",
        "access_key_file = /run/secrets/access_key",
        "SECRET_FILE=/run/secrets/one",
        "tests/test_token.py::test_secret[password-1]",
        "risk-assessment-of-0123456789abcdef0123456789abcdef",
        "-----BEGIN PRIVATE KEY----- was not found",
        "日本 password 秘密",
        "PWD=/home/Me/Project1",
        "pwd: C:/Users/Me2/x",
        "pwd = os.getcwd2()",
        "pwd=somewhere",
        ";token=null;secret=this;",
        "sig=d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a",
        "cookie: Cookie<'static>,",
        "Cookie: theme=dark; lang=en",
        "Set-Cookie: <name>=<value>",
        "the cookie = jar.get('id')",
        "Basic usage: redgreen run",
        "basic strategies, advanced2 ones",
        "[… 12 characters left out …]\ntest_one_of_many_2 PASSED",
        "12 tests left out",
        // What looks made by chance, and is not secret.
        "d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "id=123e4567-e89b-12d3-a456-426614174000",
        "Expected: \"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\"",
        "integrity sha512-7Xf3QY0b1mB6hZ0w5o9v1n8t2u4x6y8z0A2C4E6G8I0K2M4O6Q8S0U2W4Y6a8c==",
        "/home/me/project/node_modules/.pnpm/token-types@4.2.1/node_modules/token-types/lib/index.js:61",
        "tests/auth/test_secrets.py::TestTokens::test_password_is_hashed[argon2id-1]",
        "target/debug/deps/secret_service-0f1e2d3c4b5a6978",
        "at Object.<anonymous> (src/api-key.test.ts:12:9)",
        "Received: {\"next_page_token\": null, \"tokens\": 12}",
        "GET http://127.0.0.1:43211/oauth/token?grant_type=password 401",
        "error[E0308]: mismatched types: expected `Token`, found `&str`",
        "2026-11-15T23:09:21.123456Z INFO token refreshed in 12.5ms",
        // What begins or goes on almost like what a service makes.
        "tests/laughs_at_the_wind.py",
        "GHR_{36} gho_{20}",
        "task_test_passes fork_live_objects_twice fork_test_passes",
        "npm_config_registry_of_the_project hf_transformers_of_the_hub_are_slow",
        "glc_of_the_library xapp-of-mine whsec_of_the_hook hvs.read() xai-org/a-repository",
        "half = 1//04 + 2",
        "drop_v1_{H64} in_api_{40} key-1{U58} weak-{60}",
        "dapi0123456789 is short, api:key-value store, dp.pt.x = 1",
        "sha256~sum, cargo pul-ls, squ_are(2), tfp_distributions.Normal",
    ] {
        let text = filled(text, 1).0;
        let text = text.as_str();
        assert_eq!(redact(text), text);
        assert!(matches!(redact(text), Cow::Borrowed(_)));
    }
}

#[test]
fn secrets_in_all_their_surroundings_go() {
    let secret = filling(24, 5, ' ');
    let github = format!("ghp_{}", filling(36, 5, ' '));
    let line = filling(64, 9, ' ');
    for (text, wanted) in [
        ("password: hunter2", "password: [redacted]".to_owned()),
        ("PASSWORD=swordfish\n", "PASSWORD=[redacted]\n".to_owned()),
        ("+SECRET_KEY = \"{}\"", "+SECRET_KEY = \"[redacted]\"".to_owned()),
        ("{\\\"token\\\": \\\"{}\\\"}", "{\\\"token\\\": \\\"[redacted]\\\"}".to_owned()),
        ("config['api_key'] = b'{}'", "config['api_key'] = b'[redacted]'".to_owned()),
        ("token: {}\nassert '{}' == 1", "token: [redacted]\nassert '[redacted]' == 1".to_owned()),
        ("curl --token {} x", "curl --token [redacted] x".to_owned()),
        ("\"authorization\": \"Bearer {}\"", "\"authorization\": \"Bearer [redacted]\"".to_owned()),
        (
            "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={}=",
            "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey=[redacted]".to_owned(),
        ),
        (
            "SharedAccessSignature sr=x&sig={}Q2x%2Bq8Z%3D&se=1",
            "SharedAccessSignature sr=x&sig=[redacted]&se=1".to_owned(),
        ),
        ("Server=db;Password=a1b2;X=1", "Server=db;Password=[redacted];X=1".to_owned()),
        ("DB_PWD=hunter22", "DB_PWD=[redacted]".to_owned()),
        ("\"Cookie\": \"id={}; a=b\",", "\"Cookie\": \"id=[redacted]\",".to_owned()),
        ("> cookie: a=b; sid={}\n> x", "> cookie: a=[redacted]\n> x".to_owned()),
        ("set-cookie: ['id={}; Path=/']", "set-cookie: ['id=[redacted]; Path=/']".to_owned()),
        (
            "('Authorization', 'Basic bWU6aHVudGVyMiE=')",
            "('Authorization', 'Basic [redacted]')".to_owned(),
        ),
        ("authorization=Basic bWU6aHVudGVyMiE=", "authorization=Basic [redacted]".to_owned()),
        ("password=\"{", "password=\"{".to_owned()),
        ("password=\"{} cut off", "password=\"[redacted]".to_owned()),
        ("秘密token={}秘密", "秘密token=[redacted]".to_owned()),
    ] {
        assert_eq!(redact(&text.replace("{}", &secret)), wanted, "{text}");
    }
    for (text, wanted) in [
        ("token = '{}'", "token = 'ghp_[redacted]'"),
        ("https://{}@github.com", "https://ghp_[redacted]@github.com"),
        ("https://me:{}@github.com", "https://me:[redacted]@github.com"),
        ("x{}x", "xghp_[redacted]"),
        ("assert '{}' == '{}'", "assert 'ghp_[redacted]' == 'ghp_[redacted]'"),
    ] {
        assert_eq!(redact(&text.replace("{}", &github)), wanted, "{text}");
    }
    let cut =
        format!("FAILED a.py::b - assert '{}... and '{}...xyz'", &github[..12], &github[..12]);
    assert_eq!(redact(&cut), "FAILED a.py::b - assert 'ghp_[redacted] and 'ghp_[redacted]'");
    for (text, wanted) in [
        ("-----BEGIN PRIVATE KEY-----\n{}\n{}", "-----BEGIN PRIVATE KEY-----[redacted]"),
        (
            "-----BEGIN PRIVATE KEY-----\n{}\nand then it went on",
            "-----BEGIN PRIVATE KEY-----[redacted]\nand then it went on",
        ),
        (
            "'-----BEGIN EC PRIVATE KEY-----\\n{}\\n-----END EC PRIVATE KEY-----\\n'",
            "'-----BEGIN EC PRIVATE KEY-----[redacted]-----END EC PRIVATE KEY-----\\n'",
        ),
        (
            "+-----BEGIN RSA PRIVATE KEY-----\n+Proc-Type: 4,ENCRYPTED\n+\n+{}\n+Ab=\n+-----END RSA PRIVATE KEY-----",
            "+-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
        ),
        (
            "E   -----BEGIN PRIVATE KEY-----\nE   {}\nE   QmFzZTY0LXNob3J0==\nE   -----END PRIVATE KEY-----",
            "E   -----BEGIN PRIVATE KEY-----[redacted]-----END PRIVATE KEY-----",
        ),
    ] {
        assert_eq!(redact(&text.replace("{}", &line)), wanted, "{text}");
    }
}

/// Inputs that bring naive searches to their knees. A search that is not linear does not end here.
#[test]
fn time_is_linear_in_the_text() {
    let pieces = [
        "eyJ",
        "eyJaaaaaaaaaa.",
        "token=",
        "token='<",
        "password=\"{",
        "sk-",
        "xoxb-",
        "://a:",
        "AKIA",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n",
        "authorization: ",
        "authorization:",
        "bearer ",
        "token=(",
        "--token ",
        "token = a.b",
        "secret\\",
        "plain text that says nothing\n",
        "token=b1b_",
        "sk-admin-",
        "password='",
        "xoxb-1",
        "pwd=",
        "pwd='",
        ";pwd=a",
        "cookie:",
        "cookie: a=",
        "cookie: a=b",
        "basic ",
        "basic bWU6",
        "?sig=",
        "?sig=aA1",
        " left out]\n",
        " left out]\naA1",
        "password is ",
        "<password>",
        "<password>a1",
        "\"password\", ",
        "mysql ",
        "docker 'login",
        "curl -u a:",
        ":AA",
        "1:AA",
        "8Q~",
        "SG.",
        "AKIAX7Q2X7Q2X7Q2X7Q2,",
        "/api/webhooks/",
        "hf_aA1",
    ];
    for piece in pieces {
        let text = piece.repeat(100_000 / piece.len());
        let start = Instant::now();
        let redacted = redact(&text);
        let _ = writeln!(std::io::stderr(), "{piece:?}: {} ms", start.elapsed().as_millis());
        assert_eq!(redact(&redacted), redacted, "{piece:?} twice");
    }
}

/// What comes out of a text that comes in pieces of these sizes, again and again.
fn streamed(text: &[u8], pieces: &[usize]) -> Vec<u8> {
    let (mut out, mut rest) = (Vec::new(), text);
    let mut redactor = Redactor::default();
    for size in pieces.iter().cycle() {
        let (piece, after) = rest.split_at((*size).min(rest.len()));
        redactor.take(piece, &mut |clean| out.extend_from_slice(clean));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    redactor.end(&mut |clean| out.extend_from_slice(clean));
    out
}

#[test]
fn a_line_that_does_not_end_is_redacted_in_bounded_memory() {
    let key = format!("ghp_{}", filling(36, 3, ' '));
    let long = "x ".repeat(60_000);
    for text in [
        format!("{long}{key} {long}{key}"),
        format!("{long}{key} {long}{key} {long}\n{key}"),
        format!("{long}{}{key}{}", "x".repeat(65_000), " y".repeat(65_000)),
        format!("token='{}{key}' {long}", filling(200_000, 3, ' ')),
    ] {
        for pieces in [&[1_000][..], &[65_536], &[7, 70_000], &[1_000_000]] {
            let out = String::from_utf8(streamed(text.as_bytes(), pieces)).expect("text");
            assert!(!out.contains(&key[4..]), "{pieces:?}");
            assert!(out.contains(REDACTED) && out.contains("x x x"), "{pieces:?}");
        }
    }
}

#[test]
fn a_long_line_is_not_cut_within_a_secret() {
    let key = format!("ghp_{}", filling(36, 3, ' '));
    // The first piece is too long to be held back, and ends in the key.
    let text = format!("{}{key} y", "x ".repeat(33_000));
    for within in 1..key.len() {
        let out = streamed(text.as_bytes(), &[66_000 + within, 1_000_000]);
        assert!(out.ends_with(b"x ghp_[redacted] y"), "{within}");
    }
    let endless = format!("token='{}' y", filling(300_000, 3, ' '));
    for pieces in [[1_000], [66_000]] {
        assert_eq!(streamed(endless.as_bytes(), &pieces), b"token='[redacted]' y");
    }
}

#[test]
fn what_is_compared_stays_different_and_the_same() {
    let ids = ["swordfish1", "swordfish2"].map(|word| format!("t[password={word}]"));
    let [one, other] = ids.each_ref().map(|id| redact_distinct(id).into_owned());
    assert!(one != other && is_redacted(&one) && !one.contains("swordfish"), "{one} {other}");
    assert_eq!(redact_distinct(&one), one);
    assert_eq!(redact(&one), one);
    // A part is called as it is in the whole: titles are found in ids.
    assert_eq!(redact_distinct(&format!("a.js > {} > b", ids[0])), format!("a.js > {one} > b"));
}

fn surroundings() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[a-zA-Z0-9 _=:\"'/.@<>\\-\n]{0,60}",
        proptest::sample::select(vec![
            "token=",
            "password: ",
            "'",
            "\"",
            "secret = <",
            "https://a:",
            "ghp_",
            "eyJ",
            "日本",
            "\\",
            "-----BEGIN PRIVATE KEY-----\n",
            "Authorization: Bearer ",
            "[redacted]",
            "\n",
            "...",
            "",
        ])
        .prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_secret_anywhere_is_not_in_what_comes_out(
        form in 0..FORMS.len(),
        seed in any::<u32>(),
        before in proptest::collection::vec(surroundings(), 0..3),
        after in proptest::collection::vec(surroundings(), 0..3),
    ) {
        let (secret, parts) = filled(FORMS[form].example.0, u64::from(seed));
        // What is recognised by what stands around it is recognised on a line of its own.
        let edge = if FORMS[form].example.1.contains([' ', '=', ':']) { "\n" } else { "" };
        let text = format!("{}{edge}{secret}{edge}{}", before.concat(), after.concat());
        let redacted = redact(&text).into_owned();
        for part in parts.iter().filter(|part| part.len() >= 8) {
            prop_assert!(!redacted.contains(part.as_str()), "{text:?} became {redacted:?}");
        }
        prop_assert_eq!(redact(&redacted), redacted.as_str(), "twice, from {:?}", text);
    }

    #[test]
    fn any_text_comes_out_the_same_twice(parts in proptest::collection::vec(surroundings(), 0..8)) {
        let text = parts.concat();
        let redacted = redact(&text).into_owned();
        prop_assert_eq!(redact(&redacted), redacted.as_str(), "{:?}", text);
    }

    #[test]
    fn output_in_any_pieces_comes_out_without_the_secret(
        form in 0..FORMS.len(),
        seed in any::<u32>(),
        lines in proptest::collection::vec("[a-z .]{0,40}", 0..6),
        pieces in proptest::collection::vec(1_usize..90, 1..20),
    ) {
        let (secret, parts) = filled(FORMS[form].example.0, u64::from(seed));
        let text = format!("{}\n{secret}\n{}", lines.join("\n"), lines.join("\n"));
        let out = streamed(text.as_bytes(), &pieces);
        let out = String::from_utf8_lossy(&out);
        for part in parts.iter().filter(|part| part.len() >= 8) {
            prop_assert!(!out.contains(part.as_str()), "{text:?} became {out:?}");
        }
        prop_assert_eq!(&*out, &*redact(&text));
    }

    #[test]
    fn output_without_secrets_comes_out_as_it_went_in(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        pieces in proptest::collection::vec(1_usize..90, 1..20),
    ) {
        prop_assert_eq!(streamed(&bytes, &pieces), bytes);
    }
}
