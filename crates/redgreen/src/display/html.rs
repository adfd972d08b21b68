//! The report as one page, made from the same Markdown: headings, tables, lists, paragraphs and
//! indented blocks are all that it uses.

/// The look of the page; readable in print, in the dark and on a telephone.
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1e21;background:#fff}\
h1{border-bottom:3px solid currentColor;padding-bottom:.3rem}h2{margin-top:2.5rem;border-bottom:1px solid #ccc}\
h3{font:600 .95rem ui-monospace,monospace;overflow-wrap:anywhere}\
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top}\
code,pre{font:.875rem/1.45 ui-monospace,monospace}code{background:#8882;padding:.1em .3em;border-radius:.2em;overflow-wrap:anywhere}\
pre{background:#8881;border-left:4px solid #c33;padding:.8rem;overflow-x:auto}.passed h1{color:#1a7f37}.other h1{color:#b42318}\
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181c}.passed h1{color:#57d37a}.other h1{color:#ff8a80}}";

/// What an indented block begins with, on every line.
const INDENT: &str = "    ";

/// The whole page.
pub fn page(title: &str, markdown: &str) -> String {
    let class = if markdown.starts_with("# redgreen: passed") { "passed" } else { "other" };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{}</title><style>{STYLE}</style></head>\n<body class=\"{class}\">\n{}</body></html>",
        escaped(title),
        body(markdown)
    )
}

fn body(markdown: &str) -> String {
    let mut out = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(level) = heading_level(line) {
            out.push_str(&format!("<h{level}>{}</h{level}>\n", inline(line[level..].trim())));
        } else if let Some(first) = line.strip_prefix(INDENT) {
            let mut block = vec![first];
            while let Some(next) = lines.next_if(|next| next.starts_with(INDENT)) {
                block.push(&next[INDENT.len()..]);
            }
            out.push_str(&format!("<pre>{}</pre>\n", escaped(&block.join("\n"))));
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(next) = lines.next_if(|next| next.starts_with('|')) {
                rows.push(next);
            }
            out.push_str(&table(&rows));
        } else if let Some(item) = line.strip_prefix("- ") {
            let mut items = vec![item];
            while let Some(next) = lines.next_if(|next| next.starts_with("- ")) {
                items.push(&next[2..]);
            }
            let items: String =
                items.iter().map(|item| format!("<li>{}</li>", inline(item))).collect();
            out.push_str(&format!("<ul>{items}</ul>\n"));
        } else if !line.trim().is_empty() {
            out.push_str(&format!("<p>{}</p>\n", inline(line)));
        }
    }
    out
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    ((1..=3).contains(&level) && line[level..].starts_with(' ')).then_some(level)
}

fn table(rows: &[&str]) -> String {
    let cells = |row: &str| -> Vec<String> {
        let inner =
            row.trim().trim_start_matches('|').trim_end_matches('|').replace("\\|", "\u{1}");
        inner.split('|').map(|cell| inline(&cell.trim().replace('\u{1}', "|"))).collect()
    };
    let mut out = String::from("<table>");
    for (index, row) in rows.iter().enumerate().filter(|(index, _)| *index != 1) {
        let tag = if index == 0 { "th" } else { "td" };
        let row: Vec<String> = cells(row);
        if row.iter().all(String::is_empty) {
            continue;
        }
        out.push_str(&format!(
            "<tr>{}</tr>",
            row.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect::<String>()
        ));
    }
    out.push_str("</table>\n");
    out
}

/// Escapes first, then marks code and bold: nothing in the text can become markup of its own.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in escaped(text).split('`').enumerate() {
        if index % 2 == 1 {
            out.push_str(&format!("<code>{part}</code>"));
        } else {
            out.push_str(&bold(part));
        }
    }
    out
}

fn bold(text: &str) -> String {
    let parts: Vec<&str> = text.split("**").collect();
    if parts.len().is_multiple_of(2) {
        return text.to_owned();
    }
    parts
        .iter()
        .enumerate()
        .map(
            |(index, part)| {
                if index % 2 == 1 { format!("<strong>{part}</strong>") } else { (*part).to_owned() }
            },
        )
        .collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_the_text_stays_text() {
        let page = page(
            "<t>",
            "# redgreen: passed\n\n| a | b |\n|---|---|\n| `<script>` | x \\| y |\n\n    <img onerror=x>\n\n- **bold** <b>",
        );
        assert!(page.contains("<code>&lt;script&gt;</code>"), "{page}");
        assert!(page.contains("<td>x | y</td>"), "{page}");
        assert!(page.contains("<pre>&lt;img onerror=x&gt;</pre>"), "{page}");
        assert!(page.contains("<li><strong>bold</strong> &lt;b&gt;</li>"), "{page}");
        assert!(page.contains("<title>&lt;t&gt;</title>"), "{page}");
        assert!(!page.contains("<script>") && !page.contains("<img"), "{page}");
    }
}
