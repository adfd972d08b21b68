//! The pages: what each of them shows, as data for its template.

mod attempt;
mod figures;
mod inbox;
mod log;
mod now;
pub(crate) mod session;
mod square;

use std::sync::Arc;

use jiff::Timestamp;
use redgreen_runner::overview::Standing;

use crate::render::{Frame, ICON, SCRIPT, STYLE, page};
use crate::request::Route;
use crate::watch::Watched;

/// What is sent.
pub(crate) struct Page {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

/// All pages, each made when it is asked for.
pub(crate) struct Pages {
    watched: Arc<Watched>,
    records: session::Records,
}

impl Pages {
    pub(crate) fn new(watched: Arc<Watched>) -> Self {
        Self { watched, records: session::Records::default() }
    }

    /// A page; none where there is nothing.
    pub(crate) fn page(&self, route: &Route) -> Option<Page> {
        let fixed = |kind, text: &str| Some(Page { kind, text: text.to_owned() });
        let now = Timestamp::now();
        let text = match route {
            Route::Style => return fixed("text/css; charset=utf-8", STYLE),
            Route::Script => return fixed("text/javascript; charset=utf-8", SCRIPT),
            Route::Icon => return fixed("image/svg+xml", ICON),
            Route::Events => return None,
            Route::Now { all } => {
                let body = self.watched.look(|overview| now::body(overview, *all, now));
                self.frame("Now", "now", "./", "*", body)
            }
            Route::Inbox => {
                self.frame("Inbox", "inbox", "./", "*", inbox::body(&self.watched, now))
            }
            Route::Figures { project } => {
                let body = figures::body(&self.watched, *project, now);
                self.frame("Figures", "figures", "./", "", body)
            }
            Route::Session { session } => {
                let (title, body) = session::body(&self.watched, &self.records, session, now)?;
                self.frame(&title, "session", "../", session, body)
            }
            Route::Log { session, execution, check, from } => {
                let record = self.records.of(&self.watched, session)?;
                let body = log::body(&record, *execution, *check, *from)?;
                self.frame("Log", "session", "../../../../", "", body)
            }
        };
        Some(Page { kind: "text/html; charset=utf-8", text })
    }

    fn frame(
        &self,
        title: &str,
        place: &str,
        home: &str,
        follows: &str,
        body: minijinja::Value,
    ) -> String {
        let waiting = self.watched.look(|overview| {
            let waits = |card: &&_| overview.standing(card) == Standing::Waits;
            overview.cards().filter(waits).count()
        });
        page(&Frame { title, home: Some(home), place, follows, waiting }, body)
    }
}
