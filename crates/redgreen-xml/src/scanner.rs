//! From a text to its tags.

use std::marker::PhantomData;

use memchr::{memchr, memchr2, memmem};

/// What comes next in a document. Comments, declarations and instructions are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'text> {
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
pub enum InTag<'text> {
    /// An attribute, its value with entities.
    Attribute(&'text str, &'text str),
    /// `>`.
    Opened,
    /// `/>`.
    Closed,
    /// The text is over.
    Cut,
}

/// What most of a kind of report consists of. One comparison tells it, where a search would take longer.
pub trait Shape {
    /// The tag that comes most often: how it begins, and its name.
    const TAG: (&'static str, &'static str);
    /// The attributes that most tags have: how they begin, up to the quote of their value, and their names.
    const USUAL: [(&'static str, &'static str); 2];
    /// The attribute that most often has the value that it had in the tag before.
    const REPEATED: (&'static str, &'static str);
}

/// What is left of a text.
pub struct Scanner<'text, S> {
    rest: &'text str,
    in_tag: bool,
    /// The last value of [`Shape::REPEATED`].
    repeated: &'text str,
    /// Whether the text ended in the middle of something.
    pub cut: bool,
    /// How often something was not as XML has it.
    pub guesses: usize,
    shape: PhantomData<S>,
}

impl<'text, S: Shape> Scanner<'text, S> {
    /// Before the first token.
    #[must_use]
    pub fn new(text: &'text str) -> Self {
        Self { rest: text, in_tag: false, repeated: "", cut: false, guesses: 0, shape: PhantomData }
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
    pub fn next_token(&mut self) -> Option<Token<'text>> {
        while self.in_tag {
            self.attribute();
        }
        if let Some(rest) = self.rest.strip_prefix(S::TAG.0)
            && rest.starts_with(' ')
        {
            (self.rest, self.in_tag) = (rest, true);
            return Some(Token::Open(S::TAG.1));
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
    pub fn attribute(&mut self) -> InTag<'text> {
        for (opening, name) in &S::USUAL {
            if let Some(rest) = self.rest.strip_prefix(opening) {
                self.rest = rest;
                return self.quoted(name, b'"');
            }
        }
        match self.rest.strip_prefix(S::REPEATED.0) {
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
            return InTag::Attribute(S::REPEATED.1, self.repeated);
        }
        let found = self.quoted(S::REPEATED.1, b'"');
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

    /// Gives the attributes of the tag that was opened, and says whether the tag has something in it.
    pub fn each_attribute(&mut self, mut each: impl FnMut(&'text str, &'text str)) -> bool {
        while self.in_tag {
            match self.attribute() {
                InTag::Attribute(name, value) => each(name, value),
                InTag::Opened => return true,
                InTag::Closed | InTag::Cut => return false,
            }
        }
        false
    }

    /// Passes over everything up to and with the next `mark`, whatever it is part of; over all that is
    /// left where there is none.
    pub fn skip_past(&mut self, mark: &memmem::Finder<'_>) {
        self.in_tag = false;
        match mark.find(self.rest.as_bytes()) {
            Some(at) => self.take(at + mark.needle().len()),
            None => {
                self.cut = true;
                self.take_all()
            }
        };
    }

    /// Passes over blanks.
    #[inline]
    pub fn skip_blanks(&mut self) {
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
