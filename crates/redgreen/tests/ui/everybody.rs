//! How the pages look: both themes, wide and narrow, for everybody.

use std::fs;

use serde_json::Value;

use super::Served;
use super::browser::Browser;
use super::looks::{first_session, played};
use crate::common::{Project, tools};

/// What axe finds of the levels A and AA.
fn violations(browser: &Browser) -> Vec<String> {
    let tools = tools();
    let axe = tools
        .ancestors()
        .nth(2)
        .expect("a folder")
        .join("node/page/node_modules/axe-core/axe.min.js");
    let axe = fs::read_to_string(&axe)
        .unwrap_or_else(|_| panic!("{}: run `cargo xtask test`", axe.display()));
    browser.run(&axe);
    let found = browser.run_to_its_end(
        "const done = arguments[arguments.length - 1];
         axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']})
            .then((it) => done(it.violations), (error) => done([{id: String(error), nodes: []}]));",
    );
    let all = found.as_array().cloned().unwrap_or_default();
    let words = |it: &Value| {
        let nodes = it["nodes"].as_array().into_iter().flatten();
        let nodes: Vec<String> =
            nodes.map(|node| format!("{} {}", node["html"], node["any"][0]["message"])).collect();
        format!("{}: {}", it["id"], nodes.join("\n  "))
    };
    all.iter().map(words).collect()
}

#[test]
fn every_page_is_for_everybody() {
    let project = played();
    let newest = project.session();
    let passed = first_session(&project);
    let served = Served::start(&project);
    let pages = [
        ("now", served.address("")),
        ("inbox", served.address("inbox")),
        ("figures", served.address("figures")),
        ("session", served.address(&format!("session/{passed}"))),
        ("waits", served.address(&format!("session/{newest}"))),
        ("log", served.address(&format!("session/{passed}/log/1/0"))),
        ("file", file(&project, &passed)),
    ];
    let browser = Browser::start();
    for (name, address) in &pages {
        browser.open(address);
        for theme in ["light", "dark"] {
            browser.theme(theme);
            for (width, height) in [(1280, 900), (360, 740)] {
                browser.size(width, height);
                let place = format!("{name}-{theme}-{width}");
                let wide = browser.run("return document.documentElement.scrollWidth - innerWidth");
                assert!(wide.as_i64() <= Some(0), "{place} is wider than its window by {wide}");
                browser.picture(&place);
            }
            browser.run("document.querySelectorAll('details').forEach((it) => it.open = true)");
            let found = violations(&browser);
            assert!(found.is_empty(), "{name} {theme}:\n{}", found.join("\n"));
        }
    }
    let foreign: Vec<String> = browser
        .asked_for()
        .into_iter()
        .filter(|it| {
            !it.starts_with(&format!("http://{}/", served.host)) && !it.starts_with("file:")
        })
        .filter(|it| !it.starts_with("data:") && !it.starts_with("chrome"))
        .collect();
    assert_eq!(foreign, Vec::<String>::new());
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "{complaints:?}");
}

/// The session's page as a file, opened as one.
fn file(project: &Project, session: &str) -> String {
    let page = project.redgreen(&["report", session, "--format", "html"]);
    page.assert_code(0);
    let path = project.outside().join("page.html");
    fs::write(&path, page.stdout).expect("written");
    format!("file://{}", path.display())
}
