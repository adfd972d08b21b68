//! Reads JSON, with or without comments, and keeps the positions.

use super::{Item, Kind, Node};

/// How deep values may be in each other.
const DEPTH_MAX: usize = 64;

/// Whether a format has comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// `// …` and `/* … */` are blanks.
    Allowed,
    /// They are errors.
    Refused,
}

/// Why a text is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Wrong {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

impl Wrong {
    /// Something wrong at a position of the text.
    pub fn at(text: &str, position: usize, what: impl Into<String>) -> Self {
        let before = text.as_bytes().iter().take(position);
        Self { line: 1 + before.filter(|byte| **byte == b'\n').count(), what: what.into() }
    }
}

/// Reads a whole text as one value.
pub fn parse(text: &str, comments: Comments) -> Result<Node, Wrong> {
    let mut reader = Reader { text, position: 0, comments };
    if text.starts_with('\u{feff}') {
        reader.position = '\u{feff}'.len_utf8();
    }
    reader.skip_blanks()?;
    let root = reader.value(0)?;
    reader.skip_blanks()?;
    if reader.position < text.len() {
        return Err(reader.wrong("something follows the value"));
    }
    Ok(root)
}

struct Reader<'text> {
    text: &'text str,
    position: usize,
    comments: Comments,
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> Wrong {
        Wrong::at(self.text, self.position, what)
    }

    fn rest(&self) -> &str {
        &self.text[self.position..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.position += usize::from(is_next);
        is_next
    }

    fn skip_blanks(&mut self) -> Result<(), Wrong> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.position += 1,
                Some(b'/') if self.comments == Comments::Allowed => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), Wrong> {
        let rest = self.rest();
        let length = if rest.starts_with("//") {
            Some(rest.find(['\n', '\r']).unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            rest.get(2..).and_then(|inner| inner.find("*/")).map(|length| length + 4)
        } else {
            None
        };
        match length {
            Some(length) => self.position += length,
            None => return Err(self.wrong("a value was expected, or a comment has no end")),
        }
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Wrong> {
        let start = self.position;
        let kind = match self.peek() {
            Some(b'{' | b'[') if depth >= DEPTH_MAX => {
                return Err(self.wrong("values are too deep in each other"));
            }
            Some(b'{') => self.container(depth, b'}')?,
            Some(b'[') => self.container(depth, b']')?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(_) => self.word()?,
            None => return Err(self.wrong("a value is missing")),
        };
        Ok(Node { start, end: self.position, kind })
    }

    fn container(&mut self, depth: usize, close: u8) -> Result<Kind, Wrong> {
        self.position += 1;
        let mut items: Vec<Item> = Vec::new();
        self.skip_blanks()?;
        if self.takes(close) {
            return Ok(Kind::Container(items));
        }
        loop {
            let start = self.position;
            let name = if close == b'}' { Some(self.name()?) } else { None };
            let value = self.value(depth + 1)?;
            self.skip_blanks()?;
            let comma = Some(self.position).filter(|_| self.peek() == Some(b','));
            items.push(Item { start, name, value, comma });
            if self.takes(close) {
                return Ok(Kind::Container(items));
            }
            if !self.takes(b',') {
                return Err(self.wrong("a comma or a closing bracket is missing"));
            }
            self.skip_blanks()?;
        }
    }

    fn name(&mut self) -> Result<String, Wrong> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("a name in quotes was expected"));
        }
        let name = self.string()?;
        self.skip_blanks()?;
        if !self.takes(b':') {
            return Err(self.wrong("a colon is missing"));
        }
        self.skip_blanks()?;
        Ok(name)
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let bytes = self.rest().as_bytes();
        let mut length = 1;
        while bytes.get(length).is_some_and(|byte| *byte != b'"') {
            length += if bytes[length] == b'\\' { 2 } else { 1 };
        }
        let whole = self.rest().get(..=length).map(serde_json::from_str::<String>);
        let Some(Ok(text)) = whole else {
            return Err(self.wrong("a text has no end, or holds what it must not"));
        };
        self.position += length + 1;
        Ok(text)
    }

    fn word(&mut self) -> Result<Kind, Wrong> {
        let is_part =
            |character: char| character.is_ascii_alphanumeric() || "+-.".contains(character);
        let rest = self.rest();
        let length = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        if length == 0 || serde_json::from_str::<serde_json::Value>(&rest[..length]).is_err() {
            return Err(self.wrong("a value was expected"));
        }
        self.position += length;
        Ok(Kind::Other)
    }
}
