//! The tables, and their version.

use rusqlite::Connection;

/// Another version is thrown away and made anew: everything in it can be read again.
pub(crate) const VERSION: i64 = 12;

/// `folders` and `files` say what was read, so that it is not read again; a file that is `shadowed` holds the
/// session of a newer one; `origin` says what its seal showed, and `sealed_by` whose it is. `names` holds every text
/// that comes often, once. `keys` finds records by what they
/// are about; `sightings` and `tries` say which causes a session saw, in which tests, and what was tried against
/// them; a sighting has its own words (`said`), was `seen` or is unverified (`told` in the tables), and stands at its `position` in the record;
/// `brought` is the edit that brought it, and `others` are what a try brought;
/// `habit` is what tries in other places have in common with it, none where it is not redgreen's own.
/// `patterns` sums them up for each cause, with the words that it is shown by; `unsummed` are the causes for which that is still to be done, and
/// `unwritten` those of which the file of patterns says what was.
/// What redgreen has `seen` is looked for first, however much others tell; so that is in the order of the tables.
/// `texts` are the words to search in, each text once however many records say it.
///
/// A record lists its own keys and texts, so that they can be taken out without an index over them.
const TABLES: &str = "
CREATE TABLE folders (
    name TEXT PRIMARY KEY, size INTEGER NOT NULL, modified INTEGER NOT NULL, inode INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    size INTEGER NOT NULL, modified INTEGER NOT NULL, inode INTEGER NOT NULL, reason TEXT,
    shadowed TEXT, origin INTEGER NOT NULL DEFAULT 0, sealed_by INTEGER
);
CREATE INDEX files_unreadable ON files (name) WHERE reason IS NOT NULL;
CREATE INDEX files_shadowed ON files (shadowed) WHERE shadowed IS NOT NULL;
CREATE TABLE records (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, file_path TEXT NOT NULL, at INTEGER NOT NULL,
    status TEXT, attempts INTEGER NOT NULL, agent TEXT, framework TEXT, code_type TEXT,
    seen INTEGER NOT NULL, reused INTEGER NOT NULL, coverage_met INTEGER, learned INTEGER NOT NULL,
    counted INTEGER NOT NULL, keys BLOB NOT NULL, texts BLOB NOT NULL
);
CREATE INDEX records_session ON records (session);
CREATE INDEX records_at ON records (at);
CREATE INDEX records_seen ON records (seen, at);
CREATE TABLE names (
    id INTEGER PRIMARY KEY, digest INTEGER NOT NULL UNIQUE, text TEXT NOT NULL
);
CREATE TABLE keys (
    kind INTEGER NOT NULL, name INTEGER NOT NULL, seen INTEGER NOT NULL, at INTEGER NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (kind, name, seen, at, record)
) WITHOUT ROWID;
CREATE TABLE causes (
    id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE,
    error_name INTEGER NOT NULL, function INTEGER, seen INTEGER NOT NULL
);
CREATE INDEX causes_error ON causes (error_name);
CREATE INDEX causes_function ON causes (function, error_name, seen) WHERE function IS NOT NULL;
CREATE TABLE sightings (
    record INTEGER NOT NULL, cause INTEGER NOT NULL, test INTEGER NOT NULL,
    at INTEGER NOT NULL, seen INTEGER NOT NULL, open INTEGER NOT NULL,
    position INTEGER NOT NULL, said INTEGER NOT NULL, brought INTEGER,
    PRIMARY KEY (record, cause, test)
) WITHOUT ROWID;
CREATE TABLE tries (
    record INTEGER NOT NULL, cause INTEGER NOT NULL, run INTEGER NOT NULL,
    outcome INTEGER NOT NULL, seen INTEGER NOT NULL, at INTEGER NOT NULL,
    description INTEGER NOT NULL, diff_lines INTEGER NOT NULL, fix TEXT NOT NULL, lines INTEGER,
    others INTEGER, habit INTEGER, place INTEGER NOT NULL,
    PRIMARY KEY (record, cause, run)
) WITHOUT ROWID;
CREATE TABLE patterns (
    cause INTEGER PRIMARY KEY, message TEXT NOT NULL,
    sessions INTEGER NOT NULL, told INTEGER NOT NULL, worked INTEGER NOT NULL,
    failed INTEGER NOT NULL, recent_worked INTEGER NOT NULL, recent INTEGER NOT NULL,
    last_seen INTEGER NOT NULL, offered INTEGER NOT NULL, effectiveness REAL NOT NULL,
    description TEXT, diff TEXT, best_record INTEGER, best_run INTEGER
);
CREATE INDEX patterns_offered ON patterns (effectiveness, sessions, last_seen) WHERE offered = 1;
CREATE TABLE unsummed (cause INTEGER PRIMARY KEY);
CREATE TABLE unwritten (cause INTEGER PRIMARY KEY);
CREATE TABLE told (
    record INTEGER NOT NULL, name INTEGER NOT NULL, frequency INTEGER NOT NULL,
    template TEXT, effectiveness REAL,
    PRIMARY KEY (record, name)
) WITHOUT ROWID;
CREATE TABLE texts (id INTEGER PRIMARY KEY, digest INTEGER NOT NULL UNIQUE, body TEXT NOT NULL);
CREATE TABLE text_records (
    text INTEGER NOT NULL, seen INTEGER NOT NULL, at INTEGER NOT NULL, record INTEGER NOT NULL,
    PRIMARY KEY (text, seen, at, record)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
    body, content = 'texts', content_rowid = 'id', columnsize = 0,
    tokenize = \"unicode61 tokenchars '_'\"
);
";

/// The indexes that are made after many rows have come, not while they come: made from all rows they are
/// quicker, and a third smaller.
const LATE: [(&str, &str); 5] = [
    ("sightings_cause", "sightings (cause, seen, at, record)"),
    ("sightings_test", "sightings (test, seen, at)"),
    ("tries_cause", "tries (cause, at, outcome, seen)"),
    ("tries_habit", "tries (habit, at, outcome, place, record) WHERE habit IS NOT NULL"),
    ("tries_best", "tries (cause, diff_lines, at) WHERE outcome = 1 AND seen = 1"),
];

/// Takes the late indexes away.
pub(super) fn drop_late(connection: &Connection) -> Result<(), rusqlite::Error> {
    LATE.iter()
        .try_for_each(|(name, _)| connection.execute_batch(&format!("DROP INDEX IF EXISTS {name}")))
}

/// Makes the late indexes.
pub(super) fn make_late(connection: &Connection) -> Result<(), rusqlite::Error> {
    LATE.iter().try_for_each(|(name, on)| {
        connection.execute_batch(&format!("CREATE INDEX IF NOT EXISTS {name} ON {on}"))
    })
}

/// Whether the tables that are there are of this version, and of the memory with this id.
pub(crate) fn is_current(connection: &Connection, id: i32) -> Result<bool, rusqlite::Error> {
    let says = |pragma| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
    // 0 and 0 in a new file.
    Ok(says("PRAGMA user_version")? == VERSION && says("PRAGMA application_id")? == i64::from(id))
}

/// Makes the tables, in the place of whatever is there.
pub(crate) fn make(connection: &Connection, id: i32) -> Result<(), rusqlite::Error> {
    drop_everything(connection)?;
    connection.execute_batch(TABLES)?;
    make_late(connection)?;
    connection.pragma_update(None, "application_id", id)?;
    connection.pragma_update(None, "user_version", VERSION)
}

fn drop_everything(connection: &Connection) -> Result<(), rusqlite::Error> {
    // Those of a virtual table go with it, so it comes first.
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         ORDER BY sql NOT LIKE 'CREATE VIRTUAL%'",
    )?;
    let names: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for name in names {
        let quoted = name.replace('"', "\"\"");
        connection.execute_batch(&format!("DROP TABLE IF EXISTS \"{quoted}\""))?;
    }
    Ok(())
}
