//! Where an example of RSpec is written.

use crate::sides::{Address, Addresses, titled};

/// `spec/a_spec.rb > describe > it`, and ` #2` for the second of that name.
pub(super) fn address(id: &str, folder: &str, known: &Addresses<'_>) -> Option<Address> {
    titled(id, folder, known, |file| file.ends_with(".rb"), written_out)
}

/// What of a title is written out, between places for values: `#{expression}`.
fn written_out(title: &str) -> Vec<String> {
    let mut parts = title.split("#{");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('}').map_or("", |(_, rest)| rest).to_owned());
    [first].into_iter().chain(rest).collect()
}
