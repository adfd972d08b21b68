//! The only place that runs git: tree hashes, snapshots, restore, changed lines.
