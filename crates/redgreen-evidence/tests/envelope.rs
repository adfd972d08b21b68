//! Envelopes: what was changed, and by whom it was signed, is seen.

use std::fs;
use std::process::Command;
use std::sync::LazyLock;

use crate::common::{StoreFolder, evidence, tree};
use proptest::prelude::*;
use redgreen_evidence::{Bundle, Envelope, Key, PublicKey, Refusal, read_lines};
use redgreen_model::evidence::{Evidence, Statement, TestResult, VerdictMemory};

fn signed(key: &Key) -> (Statement<Evidence>, Envelope) {
    let statement = Statement::about(&tree('1'), evidence(&tree('1'), Some(tree('2'))));
    let envelope = Envelope::sign(key, &statement).expect("an envelope");
    (statement, envelope)
}

#[test]
fn what_was_signed_comes_back() {
    let place = StoreFolder::new();
    let (statement, envelope) = signed(&place.key);
    let line = envelope.to_line().expect("a line");
    let read = Envelope::parse(line.as_bytes()).expect("an envelope");
    assert_eq!(read.statement::<Evidence>(&place.public()).expect("signed"), statement);
    assert_eq!(read.payload_type, "application/vnd.in-toto+json");
    assert_eq!(read.signatures[0].keyid, place.public().id());
}

#[test]
fn what_is_signed_as_one_thing_is_no_other_and_nobody_elses() {
    let (place, other) = (StoreFolder::new(), StoreFolder::new());
    let public = place.key.public();
    let signature = place.key.sign_as("a/b", b"payload");
    let has_signed = |payload_type: &str, payload: &[u8], signature: &str| {
        let by_private = place.key.has_signed_as(payload_type, payload, signature);
        assert_eq!(public.has_signed_as(payload_type, payload, signature), by_private);
        by_private
    };
    assert!(has_signed("a/b", b"payload", &signature));
    assert!(!has_signed("a/c", b"payload", &signature));
    assert!(!has_signed("a/b", b"payloae", &signature));
    let of_other = other.key.sign_as("a/b", b"payload");
    for no_signature in ["", "?", &signature[4..], &signature[..84], &of_other] {
        assert!(!has_signed("a/b", b"payload", no_signature), "{no_signature}");
    }
    // What stands between the parts is signed, too.
    assert!(!has_signed("a/b 7 payload", b"", &signature));
}

#[test]
fn every_refusal_has_its_own_words() {
    let place = StoreFolder::new();
    let public = place.public();
    let (_, good) = signed(&place.key);
    let stranger = Key::open_or_make(&place.folder.path().join("stranger")).expect("a key");
    let edit = |change: &dyn Fn(&mut Envelope)| {
        let mut envelope = good.clone();
        change(&mut envelope);
        envelope.statement::<Evidence>(&public).expect_err("refused")
    };
    assert_eq!(edit(&|it| it.signatures.clear()), Refusal::NotSigned);
    let other = edit(&|it| it.payload_type = "text/plain".to_owned());
    assert_eq!(other, Refusal::OtherPayloadType("text/plain".to_owned()));
    let (_, another) = signed(&Key::open_or_make(&place.folder.path().join("x")).expect("a key"));
    assert_eq!(
        edit(&|it| it.signatures[0].sig = another.signatures[0].sig.clone()),
        Refusal::Changed
    );
    let changed = edit(&|it| {
        let mut other = evidence(&tree('1'), None);
        other.attempts = Some(1);
        let statement = Statement::about(&tree('1'), other);
        it.payload = Envelope::sign(&stranger, &statement).expect("an envelope").payload;
    });
    assert_eq!(changed, Refusal::Changed);
    let (_, foreign) = signed(&stranger);
    let unknown = foreign.statement::<Evidence>(&public).expect_err("refused");
    assert_eq!(unknown, Refusal::UnknownKey(stranger.public().id()));
    let kind = good.statement::<VerdictMemory>(&public).expect_err("refused");
    assert!(matches!(&kind, Refusal::OtherPredicate(it) if it.ends_with("execution/v1")), "{kind}");
    for text in ["", "{}", "[]", "null", "{\"payload\":1}", "\u{1b}[31m", "{\"payloadType\":\"x\"}"]
    {
        let refused = Envelope::parse(text.as_bytes()).expect_err("refused");
        assert!(matches!(refused, Refusal::NotAnEnvelope(_)), "{text}");
        assert!(!refused.to_string().contains('\u{1b}'));
    }
    let words = [
        Refusal::NotSigned,
        other,
        changed,
        unknown,
        kind,
        Refusal::NotAnEnvelope(String::new()),
        Refusal::NotAStatement(String::new()),
    ];
    let words: std::collections::BTreeSet<String> = words.iter().map(ToString::to_string).collect();
    assert_eq!(words.len(), 7);
}

#[test]
fn a_second_signature_does_not_hide_ours() {
    let place = StoreFolder::new();
    let (statement, mut envelope) = signed(&place.key);
    let stranger = Key::open_or_make(&place.folder.path().join("stranger")).expect("a key");
    envelope.signatures.splice(0..0, signed(&stranger).1.signatures);
    assert_eq!(envelope.statement::<Evidence>(&place.public()).expect("signed"), statement);
}

#[test]
fn bytes_after_an_envelope_and_names_twice_are_refused() {
    let place = StoreFolder::new();
    let line = signed(&place.key).1.to_line().expect("a line");
    for text in [
        format!("{line}x"),
        format!("{line}{line}"),
        line.replacen("\"payload\"", "\"payload\":\"\",\"payload\"", 1),
        line.replacen("\"payloadType\"", "\"payloadType\":\"x\",\"payloadType\"", 1),
        "[".repeat(1_000_000),
    ] {
        Envelope::parse(text.as_bytes()).expect_err("refused");
    }
    assert_eq!(read_lines(format!("\n{line}\r\n\n{line}").as_bytes()).len(), 2);
}

/// Another implementation agrees, from key file to signature.
#[test]
fn openssl_verifies_what_was_signed() {
    let place = StoreFolder::new();
    let folder = place.folder.path();
    let (statement, envelope) = signed(&place.key);
    let payload = serde_json::to_vec(&statement).expect("JSON");
    let kind = "application/vnd.in-toto+json";
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    fs::write(folder.join("message"), [head.as_bytes(), &payload].concat()).expect("a file");
    fs::write(folder.join("sig64"), format!("{}\n", envelope.signatures[0].sig)).expect("a file");
    fs::write(folder.join("payload64"), format!("{}\n", envelope.payload)).expect("a file");
    fs::write(folder.join("public.pem"), place.public().to_pem()).expect("a file");
    let openssl = |args: &[&str]| {
        let output = Command::new("openssl").args(args).current_dir(folder).output();
        output.expect("openssl is needed: on Debian and Ubuntu, apt install openssl")
    };
    let run = |args: &[&str]| {
        let output = openssl(args);
        assert!(output.status.success(), "{args:?}: {output:?}");
        output.stdout
    };
    let signature = run(&["base64", "-d", "-A", "-in", "sig64"]);
    fs::write(folder.join("sig"), signature).expect("a file");
    assert_eq!(run(&["base64", "-d", "-A", "-in", "payload64"]), payload);
    let verify = [
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        "public.pem",
        "-rawin",
        "-in",
        "message",
        "-sigfile",
        "sig",
    ];
    run(&verify);
    // The key itself is one that openssl reads, and its public half is the same.
    let public = run(&["pkey", "-in", "home/key", "-pubout"]);
    assert_eq!(String::from_utf8(public).expect("PEM"), place.public().to_pem());
    let mut other = fs::read(folder.join("message")).expect("a file");
    *other.last_mut().expect("a byte") ^= 1;
    fs::write(folder.join("message"), other).expect("a file");
    assert!(!openssl(&verify).status.success());
}

/// A key, what it signed, and the envelope.
static SAMPLE: LazyLock<(PublicKey, Statement<Evidence>, String)> = LazyLock::new(|| {
    let place = StoreFolder::new();
    let (statement, envelope) = signed(&place.key);
    (place.public(), statement, envelope.to_line().expect("a line"))
});

proptest! {
    #[test]
    fn a_changed_byte_is_refused_or_says_the_same(at in any::<prop::sample::Index>(), byte: u8) {
        let (public, statement, line) = &*SAMPLE;
        let mut bytes = line.clone().into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(read) = Envelope::parse(&bytes).and_then(|it| it.statement::<Evidence>(public)) {
            prop_assert_eq!(&read, statement);
        }
    }

    #[test]
    fn what_is_cut_or_made_up_is_refused(length in any::<prop::sample::Index>(), noise: Vec<u8>) {
        let (public, _, line) = &*SAMPLE;
        let cut = &line.as_bytes()[..length.index(line.len())];
        for text in [cut, &noise] {
            let read = Envelope::parse(text).and_then(|it| it.statement::<TestResult>(public));
            prop_assert!(read.is_err());
        }
        let (bundles, refused) = Bundle::read_all(&[cut, b"\n", &noise].concat(), public);
        prop_assert!(bundles.is_empty());
        let is_clean = refused.iter().all(|why| !why.contains('\u{1b}'));
        prop_assert!(is_clean);
    }
}
