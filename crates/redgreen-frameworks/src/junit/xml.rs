//! XML, read well enough for reports, and as fast as memory allows.
//!
//! A scanner of our own, because reports are often not XML in the end: cut in the middle, with a
//! bare `<` in a name, two documents in one file. It checks nothing, so it stops at nothing; what it
//! had to guess it counts. Every byte is looked at once, names and values are parts of the text.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

/// The longest name of an entity that is looked for, such as `#x10FFFF`.
const ENTITY_BYTES: usize = 10;

/// What comes next in a document. Comments, declarations and instructions are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'text> {
    /// A tag was opened; [`Scanner::attribute`] gives its attributes, and says how it ends.
    Open(&'text str),
    /// A tag was closed.
    Close(&'text str),
    /// Text with its entities.
    Text(&'text str),
    /// A CDATA section.
    Data(&'text str),
}

/// What comes next in a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InTag<'text> {
    /// An attribute, its value with entities.
    Attribute(&'text str, &'text str),
    /// `>`.
    Opened,
    /// `/>`.
    Closed,
    /// The text is over.
    Cut,
}

/// The attributes that most tags of a report have. One comparison tells them, and with it that a
/// value follows in double quotes.
static USUAL: [(&str, &str); 2] = [(" name=\"", "name"), (" time=\"", "time")];
/// The attribute that has the value it had in the tag before.
const REPEATED: (&str, &str) = (" classname=\"", "classname");

/// What is left of a text.
pub(crate) struct Scanner<'text> {
    rest: &'text str,
    in_tag: bool,
    /// The last value of [`REPEATED`].
    repeated: &'text str,
    /// Whether the text ended in the middle of something.
    pub(crate) cut: bool,
    /// How often something was not as XML has it.
    pub(crate) guesses: usize,
}

impl<'text> Scanner<'text> {
    pub(crate) fn new(text: &'text str) -> Self {
        Self { rest: text, in_tag: false, repeated: "", cut: false, guesses: 0 }
    }

    fn first(&self) -> Option<u8> {
        self.rest.as_bytes().first().copied()
    }

    /// The text up to, but not including, the byte at `end`.
    #[inline]
    fn take(&mut self, end: usize) -> &'text str {
        // All cuts are at ASCII characters.
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn take_all(&mut self) -> &'text str {
        std::mem::take(&mut self.rest)
    }

    /// The next token; none at the end of the text.
    pub(crate) fn next(&mut self) -> Option<Token<'text>> {
        while self.in_tag {
            self.attribute();
        }
        if let Some(rest) = self.rest.strip_prefix("<testcase")
            && rest.starts_with(' ')
        {
            (self.rest, self.in_tag) = (rest, true);
            return Some(Token::Open("testcase"));
        }
        loop {
            let rest = self.rest.as_bytes();
            match rest.first()? {
                b'<' => {}
                _ => {
                    let end = memchr(b'<', rest).unwrap_or(rest.len());
                    return Some(Token::Text(self.take(end)));
                }
            }
            match rest.get(1) {
                Some(b'/') => return Some(self.close()),
                Some(b'!') if rest.starts_with(b"<![CDATA[") => return Some(self.data()),
                Some(b'!') if rest.starts_with(b"<!--") => self.skip(4, b"-->"),
                Some(b'!') => self.skip(2, b">"),
                Some(b'?') => self.skip(2, b"?>"),
                Some(byte) if is_name(*byte) => {
                    self.take(1);
                    self.in_tag = true;
                    return Some(Token::Open(self.name()));
                }
                Some(_) => {
                    self.guesses += 1;
                    let end = memchr(b'<', &rest[1..]).map_or(rest.len(), |at| at + 1);
                    return Some(Token::Text(self.take(end)));
                }
                None => {
                    self.cut = true;
                    self.take_all();
                    return None;
                }
            }
        }
    }

    fn skip(&mut self, from: usize, end: &[u8]) {
        let rest = self.rest.as_bytes().get(from..).unwrap_or_default();
        match memmem::find(rest, end) {
            Some(at) => self.take(from + at + end.len()),
            None => {
                self.cut = true;
                self.take_all()
            }
        };
    }

    fn close(&mut self) -> Token<'text> {
        self.take(2);
        let rest = self.rest.as_bytes();
        let (end, length) = match memchr2(b'>', b'<', rest) {
            Some(at) if rest.get(at) == Some(&b'>') => (at, 1),
            Some(at) => (at, 0),
            None => (rest.len(), 0),
        };
        self.cut |= end == rest.len();
        self.guesses += usize::from(length == 0);
        let name = self.take(end).trim_ascii();
        self.take(length);
        Token::Close(name)
    }

    fn data(&mut self) -> Token<'text> {
        self.take("<![CDATA[".len());
        match memmem::find(self.rest.as_bytes(), b"]]>") {
            Some(end) => {
                let data = self.take(end);
                self.take(3);
                Token::Data(data)
            }
            None => {
                self.cut = true;
                Token::Data(self.take_all())
            }
        }
    }

    /// The next attribute of the tag that was opened, or how the tag ends.
    #[inline]
    pub(crate) fn attribute(&mut self) -> InTag<'text> {
        for (opening, name) in &USUAL {
            if let Some(rest) = self.rest.strip_prefix(opening) {
                self.rest = rest;
                return self.quoted(name, b'"');
            }
        }
        match self.rest.strip_prefix(REPEATED.0) {
            Some(rest) => {
                self.rest = rest;
                self.repeated()
            }
            None => self.any_attribute(),
        }
    }

    /// The attribute whose value is most likely known: that takes a comparison, and no search.
    #[inline]
    fn repeated(&mut self) -> InTag<'text> {
        let same = self.rest.strip_prefix(self.repeated);
        if let Some(rest) = same.and_then(|rest| rest.strip_prefix('"')) {
            self.rest = rest;
            return InTag::Attribute(REPEATED.1, self.repeated);
        }
        let found = self.quoted(REPEATED.1, b'"');
        if let InTag::Attribute(_, value) = found {
            self.repeated = value;
        }
        found
    }

    #[inline(never)]
    fn any_attribute(&mut self) -> InTag<'text> {
        loop {
            let Some(byte) = self.first() else {
                (self.cut, self.in_tag) = (true, false);
                return InTag::Cut;
            };
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    self.take(1);
                }
                b'>' => {
                    self.take(1);
                    self.in_tag = false;
                    return InTag::Opened;
                }
                b'/' if self.rest.starts_with("/>") => {
                    self.take(2);
                    self.in_tag = false;
                    return InTag::Closed;
                }
                b'<' => {
                    // The tag never ended; what follows is another one.
                    self.guesses += 1;
                    self.in_tag = false;
                    return InTag::Opened;
                }
                byte if is_name(byte) => return self.named_attribute(),
                _ => {
                    // No letter of a name, so it is ASCII.
                    self.guesses += 1;
                    self.take(1);
                }
            }
        }
    }

    /// The name that begins here.
    fn name(&mut self) -> &'text str {
        let end = self.rest.bytes().position(|byte| !is_name(byte)).unwrap_or(self.rest.len());
        self.take(end)
    }

    fn named_attribute(&mut self) -> InTag<'text> {
        let name = self.name();
        self.skip_blanks();
        if self.first() != Some(b'=') {
            self.guesses += 1;
            return InTag::Attribute(name, "");
        }
        self.take(1);
        self.skip_blanks();
        let Some(quote @ (b'"' | b'\'')) = self.first() else {
            self.guesses += 1;
            let end = self.rest.bytes().position(|byte| b" \t\r\n>/<".contains(&byte));
            return InTag::Attribute(name, self.take(end.unwrap_or(self.rest.len())));
        };
        self.take(1);
        self.quoted(name, quote)
    }

    /// The attribute whose value begins here.
    #[inline]
    fn quoted(&mut self, name: &'text str, quote: u8) -> InTag<'text> {
        match find_near(quote, self.rest.as_bytes()) {
            Some(end) => {
                let value = self.take(end);
                self.take(1);
                InTag::Attribute(name, value)
            }
            None => {
                // Half a value would be another one.
                (self.cut, self.in_tag) = (true, false);
                self.take_all();
                InTag::Cut
            }
        }
    }

    /// Passes over blanks.
    #[inline]
    pub(crate) fn skip_blanks(&mut self) {
        self.take(self.rest.bytes().take_while(u8::is_ascii_whitespace).count());
    }
}

/// Where the byte is. Values are short: in the first words it is looked for right here, eight bytes
/// at a time, which takes less than a call of [`memchr`].
#[inline]
fn find_near(byte: u8, bytes: &[u8]) -> Option<usize> {
    const LOW: u64 = u64::from_ne_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    const WORDS: usize = 8;
    let (words, _) = bytes.as_chunks::<8>();
    let near = words.iter().take(WORDS);
    let far = near.len() * 8;
    for (index, word) in near.enumerate() {
        // The lowest high bit that is set marks the first byte that is zero: the one that is sought.
        let differs = u64::from_le_bytes(*word) ^ u64::from_ne_bytes([byte; 8]);
        let found = differs.wrapping_sub(LOW) & !differs & HIGH;
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    memchr(byte, bytes.get(far..)?).map(|at| far + at)
}

/// Letters of names; everything that is not ASCII may be one.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.') || byte >= 0x80
}

/// The same as a table: it is asked for every byte of every name.
static LETTERS: [bool; 256] = {
    let mut letters = [false; 256];
    let mut byte = 0_u8;
    loop {
        letters[byte as usize] = is_letter(byte);
        if byte == u8::MAX {
            break letters;
        }
        byte += 1;
    }
};

#[inline]
fn is_name(byte: u8) -> bool {
    LETTERS[usize::from(byte)]
}

/// The name without a namespace's prefix.
pub(crate) fn local(name: &str) -> &str {
    if !name.as_bytes().contains(&b':') {
        return name;
    }
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The text with its entities resolved; one that is not known stays as it is.
pub(crate) fn unescaped(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr(b'&', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let (head, mut rest) = raw.split_at(first);
    let mut out = String::with_capacity(raw.len());
    out.push_str(head);
    while let Some(at) = memchr(b'&', rest.as_bytes()) {
        let (plain, entity) = rest.split_at(at);
        out.push_str(plain);
        let name = entity.bytes().take(ENTITY_BYTES).position(|byte| byte == b';');
        let resolved =
            name.and_then(|end| Some((resolve(entity.get(1..end)?)?, entity.get(end + 1..)?)));
        rest = match resolved {
            Some((character, behind)) => {
                out.push(character);
                behind
            }
            None => {
                out.push('&');
                entity.get(1..).unwrap_or_default()
            }
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn resolve(name: &str) -> Option<char> {
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(number)?
        }
    })
}

/// The text of a document, and what is to be said about its encoding.
pub(crate) fn decoded(bytes: &[u8]) -> (Cow<'_, str>, Option<String>) {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return (Cow::Owned(utf16(rest, u16::from_le_bytes)), None);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return (Cow::Owned(utf16(rest, u16::from_be_bytes)), None);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (Cow::Borrowed(text), None);
    }
    if declares_latin(bytes) {
        return (Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()), None);
    }
    let note = "some bytes are not in the encoding that the file declares";
    (String::from_utf8_lossy(bytes), Some(note.to_owned()))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.as_chunks().0.iter().map(|pair| unit(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

fn declares_latin(bytes: &[u8]) -> bool {
    let head = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let declaration = head.split("?>").next().unwrap_or_default();
    ["iso-8859-1", "latin", "windows-1252", "cp1252", "us-ascii"]
        .iter()
        .any(|encoding| declaration.contains(encoding))
}
