//! Who is let in.

use super::{Served, body, exchange};
use crate::common::Project;

#[test]
fn nobody_comes_in_without_the_address_and_from_elsewhere() {
    let project = Project::shell();
    let served = Served::start(&project);
    let (host, token) = (&served.host, &served.token);
    let status = |request: &str| {
        let answer = exchange(host, request);
        assert!(!answer.contains("<h1>"), "{request}: {answer}");
        answer.lines().next().unwrap_or_default().to_owned()
    };
    let ask = |target: &str, headers: &str| {
        status(&format!("GET {target} HTTP/1.1\r\n{headers}\r\n\r\n"))
    };
    let ours = format!("Host: {host}");
    let wrong = format!("/{}/", "0".repeat(token.len()));
    for target in ["/", "/favicon.ico", "/inbox", wrong.as_str()] {
        assert_eq!(ask(target, &ours), "HTTP/1.1 404 Not Found", "{target}");
    }
    let home = format!("/{token}/");
    let port = host.rsplit_once(':').expect("a port").1;
    for headers in [
        // A foreign name that was made to lead to this machine.
        format!("Host: evil.example:{port}"),
        format!("{ours}\r\nOrigin: http://evil.example"),
        format!("{ours}\r\nOrigin: http://127.0.0.1:1"),
        format!("{ours}\r\nSec-Fetch-Site: cross-site"),
    ] {
        assert_eq!(ask(&home, &headers), "HTTP/1.1 403 Forbidden", "{headers}");
    }
    for page in ["session/..", "session/../../../etc/passwd", "..%2f..%2fetc/passwd", "session/x"] {
        assert_eq!(ask(&format!("{home}{page}"), &ours), "HTTP/1.1 404 Not Found", "{page}");
    }
    let post = format!("POST {home} HTTP/1.1\r\n{ours}\r\nContent-Length: 0\r\n\r\n");
    assert_eq!(status(&post), "HTTP/1.1 405 Method Not Allowed");
    let long = format!("GET {home} HTTP/1.1\r\n{ours}\r\nX: {}\r\n\r\n", "x".repeat(20_000));
    assert!(!status(&long).contains("200"));
    let page = served.get("");
    assert!(body(&page).contains("Nothing has run yet"), "{page}");
    for rule in ["default-src 'none'", "frame-ancestors 'none'", "nosniff", "no-referrer"] {
        assert!(page.contains(rule), "no {rule}: {page}");
    }
}

/// Many who open a connection and say nothing keep nobody out for long, and are not a thread each without end.
#[test]
fn who_says_nothing_keeps_nobody_out() {
    let project = Project::shell();
    let served = Served::start(&project);
    let silent: Vec<_> = (0..20)
        .map(|_| std::net::TcpStream::connect(&served.host).expect("a connection"))
        .collect();
    assert!(body(&served.get("inbox")).contains("Nothing waits for you"));
    drop(silent);
}
