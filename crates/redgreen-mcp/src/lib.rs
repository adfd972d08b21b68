//! The Model Context Protocol as far as `redgreen mcp` speaks it: JSON-RPC 2.0, a message a line. Pure: what comes in is
//! bytes, and what goes out are values; who runs the tools is somebody else.
//!
//! A tool is a command of redgreen with fixed words: there is none that answers for a person, and no argument of a tool
//! can become an option.

mod message;
mod protocol;
mod resources;
mod tools;

pub use message::{Id, Incoming, Line, Wrong, error, read, reply};
pub use protocol::{Answer, Asked, NOT_FOUND, PROTOCOLS, answer, progress, tool_result};
pub use resources::resource_command;
pub use tools::{TOOLS, Tool, tool_command};

/// The words of a command line of redgreen.
pub type Words = Vec<String>;
