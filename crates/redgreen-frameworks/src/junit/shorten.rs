//! Leaves out most of what tests printed. Reports hold the output of tests; one that prints without
//! end makes a report that does not fit into memory, although next to nothing of it is needed.

use memchr::{memchr, memmem};

/// How much of one text is kept, in bytes.
const TEXT_BYTES: usize = 256 * 1024;
const OPENING: &[u8] = b"<![CDATA[";
const CLOSING: &[u8] = b"]]>";

/// Takes a document piece by piece and keeps it, long texts without their ends. What was well-formed
/// stays so.
#[derive(Default)]
pub struct Shortener {
    kept: Vec<u8>,
    /// The end of the last piece, where it may be half of a mark.
    held: Vec<u8>,
    region: XmlRegion,
    /// How much of the text in this region is kept already.
    length: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum XmlRegion {
    #[default]
    Text,
    Tag,
    Data,
}

impl Shortener {
    /// The next piece.
    pub fn feed(&mut self, piece: &[u8]) {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(piece);
        let used = self.take(&bytes);
        self.held = bytes.get(used..).unwrap_or_default().to_vec();
    }

    /// The document.
    pub fn finish(mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        self.keep(&held);
        self.kept
    }

    /// How much is kept by now, in bytes.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether nothing is kept yet.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Uses what can be distinguished; how much that is.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let used = match self.region {
                XmlRegion::Text => self.text(rest),
                XmlRegion::Tag => self.tag(rest),
                XmlRegion::Data => self.data(rest),
            };
            if used == 0 {
                break;
            }
            at += used;
        }
        at
    }

    fn text(&mut self, rest: &[u8]) -> usize {
        match memchr(b'<', rest) {
            Some(0) if OPENING.starts_with(rest) && rest.len() < OPENING.len() => 0,
            Some(0) if rest.starts_with(OPENING) => {
                self.enter(XmlRegion::Data, OPENING);
                OPENING.len()
            }
            Some(0) => {
                self.enter(XmlRegion::Tag, b"<");
                1
            }
            Some(end) => {
                self.keep(rest.get(..end).unwrap_or_default());
                end
            }
            None => {
                self.keep(rest);
                rest.len()
            }
        }
    }

    /// A tag is kept whole: half of it would not be well-formed.
    fn tag(&mut self, rest: &[u8]) -> usize {
        let end = memchr(b'>', rest);
        let used = end.map_or(rest.len(), |end| end + 1);
        self.kept.extend_from_slice(rest.get(..used).unwrap_or_default());
        if end.is_some() {
            self.enter(XmlRegion::Text, b"");
        }
        used
    }

    fn data(&mut self, rest: &[u8]) -> usize {
        if let Some(end) = memmem::find(rest, CLOSING) {
            self.keep(rest.get(..end).unwrap_or_default());
            self.enter(XmlRegion::Text, CLOSING);
            return end + CLOSING.len();
        }
        // The last two bytes may be the beginning of the end.
        let used = rest.len().saturating_sub(CLOSING.len() - 1);
        self.keep(rest.get(..used).unwrap_or_default());
        used
    }

    fn enter(&mut self, region: XmlRegion, mark: &[u8]) {
        self.kept.extend_from_slice(mark);
        (self.region, self.length) = (region, 0);
    }

    fn keep(&mut self, bytes: &[u8]) {
        let mut room = TEXT_BYTES.saturating_sub(self.length).min(bytes.len());
        // A character is kept whole or not at all.
        while room < bytes.len()
            && room > 0
            && bytes.get(room).is_some_and(|next| next & 0xc0 == 0x80)
        {
            room -= 1;
        }
        self.kept.extend_from_slice(bytes.get(..room).unwrap_or_default());
        self.length = if room < bytes.len() { TEXT_BYTES } else { self.length + room };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened(text: &str, piece: usize) -> String {
        let mut shortener = Shortener::default();
        text.as_bytes().chunks(piece).for_each(|piece| shortener.feed(piece));
        String::from_utf8(shortener.finish()).unwrap()
    }

    #[test]
    fn short_documents_stay_as_they_are_however_they_come() {
        let text =
            "<a b='>'><![CDATA[x]]]]><![CDATA[> <y>]]>text &lt; ü<c/><![CDATA[]]></a>tail <![CDA";
        for piece in 1..40 {
            assert_eq!(shortened(text, piece), text, "pieces of {piece}");
        }
    }

    #[test]
    fn long_texts_lose_their_ends_and_nothing_else() {
        let long = "üx]]".repeat(1_000_000);
        let text = format!("<a><![CDATA[{long}]]></a><b>{long}</b><c d='{long}'/>");
        for piece in [1_000, 65_536] {
            let short = shortened(&text, piece);
            assert!(short.starts_with("<a><![CDATA[üx") && short.contains("]]></a><b>üx"));
            assert!(short.contains("</b><c d='üx") && short.ends_with(&format!("{long}'/>")));
            assert!(short.len() < long.len() + 2 * TEXT_BYTES + 100, "{}", short.len());
        }
    }
}
