//! Templates, made once. A text becomes part of a page only through them, and they escape it.

use std::fmt::Write as _;
use std::sync::LazyLock;

use minijinja::value::Serde;
use minijinja::{Environment, HtmlEscape, UndefinedBehavior, Value, context};
use serde::Serialize;

/// The look of the pages.
pub(crate) const STYLE: &str = include_str!("templates/style.css");
/// What keeps an open page up to date.
pub(crate) const SCRIPT: &str = include_str!("templates/script.js");
/// The picture in the browser's tab.
pub(crate) const ICON: &str = include_str!("templates/icon.svg");

/// Templates by their names: the ending has what is put in escaped.
const TEMPLATES: [(&str, &str); 7] = [
    ("layout.html", include_str!("templates/layout.html")),
    ("now.html", include_str!("templates/now.html")),
    ("session.html", include_str!("templates/session.html")),
    ("attempt.html", include_str!("templates/attempt.html")),
    ("inbox.html", include_str!("templates/inbox.html")),
    ("figures.html", include_str!("templates/figures.html")),
    ("log.html", include_str!("templates/log.html")),
];

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Lenient);
    environment.add_filter("code", code);
    for (name, text) in TEMPLATES {
        if let Err(error) = environment.add_template(name, text) {
            tracing::error!(%error, name, "a template is not understood");
        }
    }
    environment
});

/// Text in which backticks mark code.
fn code(text: &str) -> Value {
    let parts = text.split('`');
    // The last one has no partner.
    let last = parts.clone().count() - 1;
    let mut safe = String::new();
    for (place, part) in parts.enumerate() {
        let part = HtmlEscape(part);
        let _ = match place % 2 {
            1 if place < last => write!(safe, "<code>{part}</code>"),
            1 => write!(safe, "`{part}"),
            _ => write!(safe, "{part}"),
        };
    }
    Value::from_safe_string(safe)
}

/// A part of a page. What goes wrong in it is said in its place.
pub(crate) fn part(name: &str, view: &impl Serialize) -> Value {
    let template = ENVIRONMENT.get_template(name);
    match template.and_then(|template| template.render(Value::from(Serde(view)))) {
        Ok(text) => Value::from_safe_string(text),
        Err(error) => {
            tracing::error!(%error, name, "a page cannot be made");
            Value::from(format!("this part of the page cannot be made: {error}"))
        }
    }
}

/// What surrounds a page's own part.
#[derive(Default)]
pub(crate) struct Frame<'a> {
    /// What the tab says.
    pub(crate) title: &'a str,
    /// From this page to the first one, such as `../`; none where the page is a file of its own.
    pub(crate) home: Option<&'a str>,
    /// Which of the pages it is.
    pub(crate) place: &'a str,
    /// Which session's changes concern it: `*` for all.
    pub(crate) follows: &'a str,
    /// How many wait for a person.
    pub(crate) waiting: usize,
}

/// A whole page.
pub(crate) fn page(frame: &Frame<'_>, body: Value) -> String {
    let file = frame.home.is_none();
    let values = context! {
        title => frame.title, home => frame.home.unwrap_or_default(), place => frame.place,
        follows => frame.follows, waiting => frame.waiting, file => file, body => body,
        style => Value::from_safe_string(if file { STYLE.to_owned() } else { String::new() }),
        version => env!("CARGO_PKG_VERSION"),
    };
    let template = ENVIRONMENT.get_template("layout.html");
    template.and_then(|template| template.render(values)).unwrap_or_else(|error| {
        tracing::error!(%error, "a page cannot be made");
        "this page cannot be made".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_is_understood() {
        for (name, _) in TEMPLATES {
            assert!(ENVIRONMENT.get_template(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn backticks_mark_code_and_nothing_else_does() {
        for (text, shown) in [
            ("a `b<i>` c", "a <code>b&lt;i&gt;</code> c"),
            ("one ` alone", "one ` alone"),
            ("`a` and `b", "<code>a</code> and `b"),
            ("<b>", "&lt;b&gt;"),
            ("", ""),
        ] {
            assert_eq!(code(text).to_string(), shown);
        }
    }

    #[test]
    fn what_is_put_in_stays_text() {
        let frame = Frame { title: "</title><script>alert(1)</script>", ..Frame::default() };
        let page = page(&frame, Value::from("<img src=x onerror=alert(1)>"));
        assert!(!page.contains("<script>alert") && !page.contains("<img"), "{page}");
    }
}
