//! The events of a display, which are sent as traces, too, where the environment names a collector.

use redgreen_model::event::Event;
use redgreen_runner::events::EventSink;
use redgreen_telemetry::{Collector, Tracer};

/// A display whose events are traced.
pub struct Traced<'display> {
    display: &'display dyn EventSink,
    tracer: Option<Tracer>,
}

impl<'display> Traced<'display> {
    /// A display, traced if somebody wants that.
    pub fn of(display: &'display dyn EventSink) -> Self {
        let collector = Collector::of(&|name| std::env::var(name).ok());
        Self { display, tracer: collector.map(Tracer::new) }
    }

    /// Sends what is left.
    pub fn finish(&self) {
        if let Some(tracer) = &self.tracer {
            tracer.finish();
        }
    }
}

impl EventSink for Traced<'_> {
    fn take(&self, event: &Event) {
        self.display.take(event);
        if let Some(tracer) = &self.tracer {
            tracer.take(event);
        }
    }
}
