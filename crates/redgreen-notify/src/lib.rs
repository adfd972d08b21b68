//! How people hear of a loop that needs them.
//!
//! ```text
//! escalation ─▶ case in the outbox, on disk ─▶ channel ─▶ delivered · again later · refused
//! ```
//!
//! A file for each channel, and one outbox: what is to be said is written down before anything is sent, and a
//! delivery that fails is tried again later, by whichever redgreen comes next. What a channel can recognise as its
//! own (a comment) is found again and written over; mail keeps its Message-ID and a webhook its delivery's id, so that
//! who gets them twice after a crash can see it. When something is sent is the runner's to decide.

mod channel;
mod comments;
mod email;
mod github;
mod gitlab;
mod http;
mod message;
mod outbox;
mod repository;
mod slack;
mod surroundings;
mod webhook;

pub use channel::{Again, Refusal};
pub use message::{Message, check_template};
pub use outbox::{Answered, Attempted, Case, Delivery, Outbox, OutboxError, Standing, try_once};
pub use surroundings::Surroundings;
