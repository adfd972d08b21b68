//! The statements of a script in which blocks stand in braces, such as Gradle's, as they are written.

use super::{Body, Group, Judges};

/// What a statement is, by what stands before its brace, or by itself.
pub(crate) type JudgesStatement = fn(&str) -> Judges;

/// The deepest block that is looked into.
const DEPTH: usize = 16;

/// The statements of a text.
pub(crate) fn read(text: &str, judges: JudgesStatement) -> Result<Group, String> {
    group(text, judges, DEPTH)
}

fn group(text: &str, judges: JudgesStatement, depth: usize) -> Result<Group, String> {
    let mut pieces = Vec::new();
    let mut before = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let Statement { end, brace } = statement(rest)?;
        let (whole, after) = rest.split_at(end);
        rest = after;
        if is_trivia(whole) {
            before.push_str(whole);
            continue;
        }
        let header = whole.get(..brace.map_or(whole.len(), |(open, _)| open)).unwrap_or(whole);
        let header = header.split_whitespace().collect::<Vec<_>>().join(" ");
        let side = judges(&header);
        let before = std::mem::take(&mut before);
        let body = match (side, brace) {
            (Judges::Partly, Some((open, close))) if depth > 0 => {
                // The rest of the line with the brace goes with it.
                let inside = whole.get(open + 1..close).unwrap_or_default();
                let line = inside.find('\n').map_or(0, |at| at + 1);
                let line = if inside.get(..line).is_some_and(is_trivia) { line } else { 0 };
                let (start, inner) = inside.split_at(line);
                let inner = group(inner, judges, depth - 1)?;
                let open = format!("{before}{}{start}", whole.get(..=open).unwrap_or_default());
                let close = format!("{}{}", inner.close, whole.get(close..).unwrap_or_default());
                Body::Group(inner.around(open, close))
            }
            (Judges::Partly, _) => Body::Code(before + whole),
            (side, _) => {
                let meaning = || whole.split_whitespace().collect::<Vec<_>>().join(" ");
                Body::whole(side, before + whole, meaning)
            }
        };
        // An assignment is known by what is assigned to.
        let key = header.split('=').next().filter(|_| brace.is_none()).unwrap_or(&header);
        pieces.push((key.trim().to_owned(), body));
    }
    Ok(Group::new(pieces, "\n").around("", before))
}

/// A statement: where it ends, and its first block.
struct Statement {
    end: usize,
    brace: Option<(usize, usize)>,
}

/// The first statement of a text: up to the end of its line, blocks and brackets closed.
fn statement(text: &str) -> Result<Statement, String> {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    let (mut open, mut close) = (None, None);
    while let Some(byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        match byte {
            b'\n' if depth == 0 => return Ok(Statement { end: at + 1, brace: open.zip(close) }),
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += rest.find("*/").ok_or("a comment has no end")? + 2;
                continue;
            }
            b'"' | b'\'' => {
                at += text_length(rest, *byte);
                continue;
            }
            b'{' | b'(' | b'[' => {
                if *byte == b'{' && depth == 0 && open.is_none() {
                    open = Some(at);
                }
                depth += 1;
            }
            b'}' | b')' | b']' => {
                depth = depth.checked_sub(1).ok_or("its braces do not match")?;
                if *byte == b'}' && depth == 0 && open.is_some() && close.is_none() {
                    close = Some(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    if depth > 0 {
        return Err("its braces do not match".to_owned());
    }
    Ok(Statement { end: text.len(), brace: open.zip(close) })
}

/// How long the text in quotes is that begins here; one that does not end ends with its line.
fn text_length(rest: &str, quote: u8) -> usize {
    let bytes = rest.as_bytes();
    let long = bytes.get(..3).is_some_and(|open| open.iter().all(|byte| *byte == quote));
    if long {
        let mark: String = [char::from(quote); 3].iter().collect();
        let end = rest.get(3..).and_then(|inside| inside.find(&mark));
        return end.map_or(rest.len(), |end| end + 6);
    }
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Whether there is nothing but blanks and comments.
fn is_trivia(text: &str) -> bool {
    let mut rest = text.trim();
    loop {
        if rest.is_empty() || rest.starts_with("//") && !rest.contains('\n') {
            return true;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some((_, after)) = comment.split_once("*/") else { return true };
            rest = after.trim();
        } else if let Some((comment, after)) = rest.split_once('\n')
            && comment.starts_with("//")
        {
            rest = after.trim();
        } else {
            return false;
        }
    }
}
