//! What a browser asks for, and whether it may: nothing here reads a file.

use crate::door::Door;

/// The most bytes of a request: there is no body in what is served.
pub(crate) const REQUEST_BYTES_MAX: usize = 16 * 1024;
/// The most headers of a request.
const HEADERS_MAX: usize = 64;
/// The most characters of a session's id.
const SESSION_CHARS_MAX: usize = 64;

/// What is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Now { all: bool },
    Session { session: String },
    Log { session: String, execution: u64, check: usize, from: Option<u64> },
    Inbox,
    Figures { project: Option<usize> },
    Events,
    Style,
    Script,
    Icon,
}

/// Why nothing is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is no request that can be read.
    Unreadable,
    /// Something else than looking.
    OnlyLooking,
    /// It is meant for another name, or comes from another page.
    Foreign,
    /// It does not know the token, or asks for what is not there.
    NotThere,
}

impl Refusal {
    /// The status line.
    pub(crate) fn status(self) -> &'static str {
        match self {
            Self::Unreadable => "400 Bad Request",
            Self::OnlyLooking => "405 Method Not Allowed",
            Self::Foreign => "403 Forbidden",
            Self::NotThere => "404 Not Found",
        }
    }

    /// What a person reads.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Unreadable => "this is not a request that redgreen can read\n",
            Self::OnlyLooking => "these pages are for looking only\n",
            Self::Foreign => "this request comes from another page or is meant for another name\n",
            Self::NotThere => "there is nothing here: use the address that `redgreen ui` printed\n",
        }
    }
}

/// Whether the head of a request is all there.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    bytes.windows(4).any(|window| window == b"\r\n\r\n")
}

/// Reads a request, and lets it in or not.
pub(crate) fn admit(bytes: &[u8], door: &Door) -> Result<Route, Refusal> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(status) if status.is_complete() => {}
        _ => return Err(Refusal::Unreadable),
    }
    let target = request.path.ok_or(Refusal::Unreadable)?;
    let value = |name: &str| {
        let mut found = request.headers.iter().filter(|it| it.name.eq_ignore_ascii_case(name));
        let value = found.next().map(|it| std::str::from_utf8(it.value).unwrap_or("?"));
        // Two of them: whoever is between us may have believed the other one.
        if found.next().is_some() { Some("?") } else { value }
    };
    if !value("host").is_some_and(|host| door.is_ours(host)) {
        return Err(Refusal::Foreign);
    }
    if value("origin").is_some_and(|origin| !door.is_our_origin(origin)) {
        return Err(Refusal::Foreign);
    }
    if value("sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return Err(Refusal::Foreign);
    }
    if request.method != Some("GET") {
        return Err(Refusal::OnlyLooking);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut parts = path.strip_prefix('/').ok_or(Refusal::NotThere)?.split('/');
    if !parts.next().is_some_and(|token| door.opens_with(token)) {
        return Err(Refusal::NotThere);
    }
    route(&parts.collect::<Vec<_>>(), query).ok_or(Refusal::NotThere)
}

fn route(parts: &[&str], query: &str) -> Option<Route> {
    let asked = |name: &str| {
        query.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name))
    };
    let number = |name: &str| asked(name)?.1.parse::<u64>().ok();
    Some(match parts {
        [""] => Route::Now { all: asked("all").is_some() },
        ["inbox"] => Route::Inbox,
        ["figures"] => {
            Route::Figures { project: number("project").and_then(|it| it.try_into().ok()) }
        }
        ["events"] => Route::Events,
        ["style.css"] => Route::Style,
        ["script.js"] => Route::Script,
        ["icon.svg"] => Route::Icon,
        ["session", session] => Route::Session { session: id(session)? },
        ["session", session, "log", execution, check] => Route::Log {
            session: id(session)?,
            execution: execution.parse().ok()?,
            check: check.parse().ok()?,
            from: number("from"),
        },
        _ => return None,
    })
}

/// A session's id: nothing that leads anywhere.
fn id(text: &str) -> Option<String> {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || it == '-';
    let fits = (1..=SESSION_CHARS_MAX).contains(&text.len());
    (fits && text.chars().all(is_plain)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef0123456789abcdef";

    fn door() -> Door {
        Door::with_token(4321, TOKEN.to_owned())
    }

    fn ask(target: &str, headers: &str) -> Result<Route, Refusal> {
        admit(format!("GET {target} HTTP/1.1\r\n{headers}\r\n").as_bytes(), &door())
    }

    #[test]
    fn only_who_knows_the_token_and_comes_from_here_is_let_in() {
        let home = format!("/{TOKEN}/");
        for host in ["127.0.0.1:4321", "localhost:4321", "[::1]:4321"] {
            let headers = format!("Host: {host}\r\n");
            assert_eq!(ask(&home, &headers), Ok(Route::Now { all: false }), "{host}");
            let own = format!("{headers}Origin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n");
            assert_eq!(ask(&home, &own), Ok(Route::Now { all: false }), "{host}");
        }
        let here = "Host: 127.0.0.1:4321\r\n";
        for foreign in [
            String::new(),
            "Host: evil.example:4321\r\n".to_owned(),
            "Host: 127.0.0.1\r\n".to_owned(),
            "Host: 127.0.0.1:4322\r\n".to_owned(),
            "Host: 127.0.0.1:4321.evil.example\r\n".to_owned(),
            format!("{here}Host: evil.example\r\n"),
            format!("{here}Origin: http://evil.example\r\n"),
            format!("{here}Origin: null\r\n"),
            format!("{here}Origin: http://127.0.0.1:3000\r\n"),
            format!("{here}Sec-Fetch-Site: cross-site\r\n"),
            format!("{here}Sec-Fetch-Site: same-site\r\n"),
        ] {
            assert_eq!(ask(&home, &foreign), Err(Refusal::Foreign), "{foreign}");
        }
        for wrong in ["/", "/0/", "//", "", &format!("/{}/", &TOKEN[1..]), &format!("/x{TOKEN}/")] {
            assert!(
                matches!(ask(wrong, here), Err(Refusal::NotThere | Refusal::Unreadable)),
                "{wrong}"
            );
        }
        let wrong = format!("/{}f/", &TOKEN[..31].replace('0', "1"));
        assert_eq!(ask(&wrong, here), Err(Refusal::NotThere));
    }

    #[test]
    fn nothing_but_looking() {
        for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS"] {
            let request = format!("{method} /{TOKEN}/ HTTP/1.1\r\nHost: 127.0.0.1:4321\r\n\r\n");
            assert_eq!(admit(request.as_bytes(), &door()), Err(Refusal::OnlyLooking), "{method}");
        }
    }

    #[test]
    fn a_path_leads_nowhere_else() {
        let here = "Host: 127.0.0.1:4321\r\n";
        let route = |rest: &str| ask(&format!("/{TOKEN}{rest}"), here);
        assert_eq!(route("/session/0199-a"), Ok(Route::Session { session: "0199-a".to_owned() }));
        let log =
            Route::Log { session: "0199".to_owned(), execution: 2, check: 0, from: Some(4096) };
        assert_eq!(route("/session/0199/log/2/0?from=4096"), Ok(log));
        for trick in [
            "",
            "/session/",
            "/session/..",
            "/session/../../etc/passwd",
            "/session/%2e%2e",
            "/session/a%2fb",
            "/session/a.b",
            "/session/a/log/../0",
            "/session/a/log/1/-1",
            "/session/a/log/99999999999999999999999/0",
            "/style.css/",
            "/../etc/passwd",
            "//",
        ] {
            assert_eq!(route(trick), Err(Refusal::NotThere), "{trick}");
        }
        let long = format!("/session/{}", "a".repeat(65));
        assert_eq!(route(&long), Err(Refusal::NotThere));
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for bytes in [&b"\r\n\r\n"[..], b"\0\0\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n"] {
            assert_eq!(admit(bytes, &door()), Err(Refusal::Unreadable));
        }
        let many = "X: y\r\n".repeat(HEADERS_MAX + 1);
        assert_eq!(ask("/", &many), Err(Refusal::Unreadable));
    }
}
