use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;

/// What is found, without what is known behind its name alone.
fn values(name: &str, value: &str) -> Vec<String> {
    let secrets = secrets_in(name, value, true).into_iter();
    let anywhere = secrets.filter(|secret| secret.reach != Reach::BehindItsName);
    anywhere.map(|secret| secret.value).collect()
}

#[track_caller]
fn assert_values(name: &str, value: &str, wanted: &[&str]) {
    assert_eq!(values(name, value), wanted, "{name}={value}");
}

#[test]
fn objects_are_known_by_what_is_in_them() {
    let plain = r#"{"k":"s3cr3t-value-1"}"#;
    assert_values("JSON_SECRET", plain, &["s3cr3t-value-1", plain]);
    let beside = r#"{"u":"https://x.example/y","k":"s3cr3t-value-1"}"#;
    assert_values("JSON_SECRET", beside, &["s3cr3t-value-1", beside]);
    let python = "{'k': ['s3cr3t-value-1', 's3cr3t-value-2']}";
    assert_values("JSON_SECRET", python, &["s3cr3t-value-1", "s3cr3t-value-2", python]);
    assert_values("X", r#"{"db":{"password":"a\"b\n1\u00e9xyz","n":"1"}}"#, &["a\"b\n1éxyz"]);
    assert_values("X", "{ password = \"t0ml-value\", user: y4ml-value }", &["t0ml-value"]);
    assert_values("X", r#"{"a":"{\"token\":\"inner-t0ken\"}"}"#, &["inner-t0ken"]);
    assert_values("X", r#"{"door_pin": 47110815, "token_count": 47110816}"#, &["47110815"]);
    let coded = STANDARD.encode(plain);
    assert_values("JSON_SECRET", &coded, &[&coded, "s3cr3t-value-1"]);
    let coded = STANDARD.encode(r#"{"token":"inner-t0ken"}"#);
    assert_values("X", &coded, &[&coded, "inner-t0ken"]);
}

#[test]
fn what_only_describes_is_not_secret() {
    let all = r#"{"env":"production","host":"localhost","on":true,"none":null,"port":54320000,
        "where":"db-1.example.org:5432","region":"eu-west-1","at":"2026-11-15T23:09:21Z",
        "mail":"me2@example.org","project_id":"my-project-1","dir":"/srv/App2","is":"required",
        "auth_uri":"https://example.org/o/oauth2/auth","type":"service_account"}"#;
    assert_values("APP_SECRET", all, &[]);
    for value in ["{TOKEN}", "{{ my_t0ken }}", "[redacted]", "<t0ken,secret-1>", "a,b,c"] {
        assert_values("API_TOKEN", value, &[]);
    }
    assert_values("TAGS", "first-0ne,second-0ne", &[]);
    assert_values("CONFIG", r#"{"k":"s0me-value-1"}"#, &[]);
    let coded = STANDARD.encode("words with a d1git");
    assert_values("NOTE", &coded, &[&coded]);
}

#[test]
fn addresses_give_away_who_may_come_in() {
    let both = ["p%40ss-w0rd", "p@ss-w0rd"];
    assert_values("DATABASE_URL", "postgres://me:p%40ss-w0rd@db:5432/x", &both);
    assert_values(
        "X",
        "https://0f1e2d3c4b5a69788796a5b4@sentry.example/1",
        &["0f1e2d3c4b5a69788796a5b4"],
    );
    assert_values("X", "https://x.example/y?token=a-t0ken-1&page=2#k", &["a-t0ken-1"]);
    assert_values("X", "jdbc:sqlserver://db;user=me2;password=s0me-thing", &["s0me-thing"]);
    assert_values("X", "jdbc:postgresql://db/x?user=me2&password=s0me-thing", &["s0me-thing"]);
    assert_values("X", "amqp://a:f1rst-one@h,amqp://a:sec0nd-one@i", &["f1rst-one", "sec0nd-one"]);
    assert_values("X", "https://in.example/T1/q8Zr2LmX0aVt5KdWf7Hy", &["q8Zr2LmX0aVt5KdWf7Hy"]);
    for plain in [
        "https://deploy-user@example.org/x",
        "http://localhost:8080/path/of-some-2?page=12",
        "redis://default:postgres@cache",
    ] {
        assert_values("X", plain, &[]);
    }
}

#[test]
fn strings_of_several_are_taken_apart() {
    assert_values("X", "Server=db;User Id=me;Password=my s3cret phrase;", &["my s3cret phrase"]);
    assert_values("X", "host=db port=5432 password='s0me-thing' dbname=x", &["s0me-thing"]);
    assert_values("X", "a=b&client_secret=s0me-thing", &["s0me-thing"]);
    let list = "f1rst-one, sec0nd-one";
    assert_values("API_KEYS", list, &[list, "f1rst-one", "sec0nd-one"]);
    assert_values("BASIC_AUTH", "me:pa55-word", &["me:pa55-word", "pa55-word"]);
    let coded = STANDARD.encode("me:pa55-word");
    assert_values("BASIC_AUTH", &coded, &[&coded, "me:pa55-word", "pa55-word"]);
    assert_values("RUN", "API_KEY=x1-y2-z3 make; make", &[]);
}

#[test]
fn a_private_key_is_one_by_any_name() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----\n";
    assert_values("ID", key, &[key]);
    assert_values("ID", &key.replace('\n', "\\n"), &[key]);
    assert_eq!(values("ID", &STANDARD.encode(key)).last().map(String::as_str), Some(key));
    assert_values("X", &format!("{{\"a\": \"{}\"}}", key.replace('\n', "\\n")), &[key]);
}

/// What is within itself again and again comes to an end.
#[test]
fn no_value_is_taken_apart_for_ever() {
    let mut value = "s3cr3t-value-1".to_owned();
    for _ in 0..8 {
        value = STANDARD.encode(&value);
    }
    assert!(values("A_KEY", &value).len() <= usize::from(DEPTH_MAX) + 1);
    for piece in ["{\"k\":", "[\"", "k=v;", "a,", "://", "{'", "\\u", "%"] {
        let long = piece.repeat(20_000 / piece.len());
        assert!(secrets_in("A_KEY", &long, true).len() <= 2 * PARTS_MAX, "{piece}");
    }
}
