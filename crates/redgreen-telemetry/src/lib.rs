//! Traces for OpenTelemetry: a loop, its attempts, what ran in them and each check are spans, made of the events that the
//! display reads, too. Off where nobody names a collector; a collector that is slow, wrong or gone changes nothing of a run.

mod otlp;
mod sender;
mod spans;

use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use redgreen_model::event::Event;

use sender::Sender;
pub use sender::{Collector, FLUSH_LIMIT};
use spans::Spans;

/// Follows events, and sends what they are as spans.
pub struct Tracer {
    shared: Mutex<(Spans, Sender)>,
}

impl Tracer {
    /// A tracer to a collector.
    pub fn new(collector: Collector) -> Self {
        Self { shared: Mutex::new((Spans::new(), Sender::start(collector))) }
    }

    /// Takes an event that happens now.
    pub fn take(&self, event: &Event) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let (spans, sender) = &mut *shared;
        spans.take(event, SystemTime::now());
        sender.send(spans.finished());
    }

    /// Ends what is open, and waits a moment until it is sent.
    pub fn finish(&self) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let (spans, sender) = &mut *shared;
        spans.finish(SystemTime::now());
        sender.send(spans.finished());
        sender.finish();
    }
}
