//! Mail, to a real server: encrypted, to whom it is meant for, and with a password, or not at all.

use std::io::{BufRead as _, BufReader, Lines};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::Value;

use crate::common::{Project, tools};
use crate::people::{WRONG, with_config};

/// A mail server by aiosmtpd: prints each mail as a line of JSON. It takes a certificate, its key, a port and a password;
/// without a certificate it speaks no STARTTLS, without a password it asks for none.
const MAIL_SERVER: &str = r#"
import json, ssl, sys
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

certificate, key, port, password = sys.argv[1:]

class Print:
    async def handle_DATA(self, server, session, envelope):
        mail = {"to": envelope.rcpt_tos, "text": envelope.content.decode(), "tls": session.ssl is not None,
            "user": session.auth_data.login.decode() if password else None}
        print(json.dumps(mail), flush=True)
        return "250 OK"

def known(server, session, envelope, mechanism, data):
    return AuthResult(success=data.password.decode() == password, handled=False, auth_data=data)

more = {}
if certificate:
    more["tls_context"] = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    more["tls_context"].load_cert_chain(certificate, key)
    more["require_starttls"] = True
if password:
    more.update(authenticator=known, auth_required=True)
controller = Controller(Print(), hostname="127.0.0.1", port=int(port), **more)
controller.start()
print("ready", flush=True)
sys.stdin.read()
controller.stop()
"#;

/// A server that runs until it is dropped.
struct Server {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start(project: &Project, port: u16, certificate: Option<&str>, password: &str) -> Self {
        let mut command = project.command(&tools().join("python").display().to_string());
        let [certificate, key] = match certificate {
            Some(name) => certificate_for(project, name).map(|path| path.display().to_string()),
            None => [const { String::new() }; 2],
        };
        command.args(["-c", MAIL_SERVER, &certificate, &key, &port.to_string(), password]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a server");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        assert_eq!(lines.next().expect("a line").expect("text"), "ready");
        Self { child, lines }
    }

    fn mail(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().expect("a mail").expect("text")).expect("JSON")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().expect("it ends");
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("it has one").port()
}

/// A certificate for a name that nobody vouches for, and its key.
fn certificate_for(project: &Project, name: &str) -> [PathBuf; 2] {
    let [certificate, key] =
        ["cert", "key"].map(|it| project.outside().join(format!("{it}-{name}.pem")));
    let mut openssl = project.command("openssl");
    let (subject, other) = (format!("/CN={name}"), format!("subjectAltName=DNS:{name}"));
    openssl.args(["req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", &subject]);
    openssl.args(["-addext", &other, "-addext", "basicConstraints=critical,CA:FALSE"]);
    let made =
        openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate).output().expect("openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    [certificate, key]
}

fn by_mail(port: u16, more: &str) -> Project {
    with_config(&format!(
        "[[notify]]\nchannel = \"email\"\nto = [\"a@example.org\"]\nfrom = \"redgreen@example.org\"\nserver = \"localhost:{port}\"\n{more}"
    ))
}

/// Tries to send what waits, by somebody who trusts the certificate for this name and has this password.
fn sent(project: &Project, name: &str, password: &str) -> String {
    let certificate = project.outside().join(format!("cert-{name}.pem"));
    let mut notify = project.redgreen_command(&["notify"]);
    let notify = notify.env("SSL_CERT_FILE", certificate).env("REDGREEN_SMTP_PASSWORD", password);
    String::from_utf8_lossy(&notify.output().expect("redgreen").stdout).trim().to_owned()
}

#[test]
fn mail_goes_over_starttls_and_never_to_a_server_that_nobody_vouches_for() {
    let port = free_port();
    let project = by_mail(port, "");
    let mut server = Server::start(&project, port, Some("localhost"), "");
    let run = project.run(WRONG, &[]);
    let said = &run.ended.stderr;
    assert!(said.contains("email: not sent: ") && said.contains("certificate"), "{said}");
    assert_eq!(sent(&project, "localhost", ""), "email: sent to a@example.org");
    let mail = server.mail();
    assert_eq!((&mail["tls"], &mail["to"][0]), (&true.into(), &"a@example.org".into()));
    let text = mail["text"].as_str().expect("text");
    assert!(text.contains("Message-ID: <") && text.contains("test_subtract"), "{text}");
}

#[test]
fn mail_goes_with_the_right_name_and_password_or_not_at_all() {
    let port = free_port();
    let project = by_mail(port, "user = \"redgreen\"\n");
    project.run(WRONG, &[]);
    assert!(sent(&project, "none", "").contains("set REDGREEN_SMTP_PASSWORD"));
    let server = Server::start(&project, port, None, "");
    let said = sent(&project, "none", "s3cret-word");
    assert!(said.starts_with("email: not sent"), "nothing goes in the open: {said}");
    drop(server);
    let server = Server::start(&project, port, Some("elsewhere"), "s3cret-word");
    let said = sent(&project, "elsewhere", "s3cret-word");
    assert!(said.starts_with("email: not sent") && said.contains("certificate"), "{said}");
    drop(server);
    let mut server = Server::start(&project, port, Some("localhost"), "s3cret-word");
    let said = sent(&project, "localhost", "wr0ng-word");
    assert!(said.starts_with("email: not sent") && !said.contains("wr0ng-word"), "{said}");
    assert_eq!(sent(&project, "localhost", "s3cret-word"), "email: sent to a@example.org");
    assert_eq!(server.mail()["user"], "redgreen");
}
