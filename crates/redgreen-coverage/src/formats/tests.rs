use super::*;

fn lines(format: Format, text: &str) -> Vec<(u32, u64)> {
    let reading = read_as(format, text.as_bytes(), &Wanted::these(["src/a.x"]));
    reading.coverage.files.into_values().flat_map(|file| file.lines).collect()
}

fn diagnostics(format: Format, text: &str) -> Vec<String> {
    read_as(format, text.as_bytes(), &Wanted::all()).diagnostics
}

#[test]
fn what_tools_make_of_their_formats_is_understood() {
    let rows = [
        // A checksum, CRLF, no end of a record, the same file twice.
        (
            Format::Lcov,
            "TN:\r\nSF:/x/a.x\r\nDA:1,2,abc\r\nDA:2,0\r\nSF:/x/b.x\r\nDA:9,9\r\nSF:/x/a.x\r\nDA:2,4\r\nend_of_record\r\n",
            vec![(1, 2), (2, 4)],
        ),
        // Two classes in one file, attributes in another order, single quotes, an empty class.
        (
            Format::Cobertura,
            "<coverage><class filename='a.x'/><class filename='b.x'><line number='7' hits='1'/></class>\
             <class filename='a.x'><methods><line number='5' hits='1'/></methods><lines><line hits='0' number='1'/>\
             </lines></class><class filename='a.x'><lines><line number='1' hits='3'><x/></line></lines></class></coverage>",
            vec![(1, 3)],
        ),
        // No path; a method, a condition without a count.
        (
            Format::Clover,
            "<coverage><project><file name='/x/a.x'><class name='c'/><line num='1' type='method' count='3'/>\
             <line num='2' type='cond' truecount='0' falsecount='2'/><line num='3' type='stmt' count='0'/></file></project></coverage>",
            vec![(2, 2), (3, 0)],
        ),
        (
            Format::Jacoco,
            "<report><package name='p'><class name='p/A'><line nr='9' ci='1'/></class><sourcefile name='a.x'>\
             <line nr='1' mi='3' ci='0'/><line nr='2' mi='3' ci='1'/></sourcefile></package></report>",
            vec![(1, 0), (2, 1)],
        ),
        (
            Format::CoveragePy,
            r#"{"files":{"a.x":{"executed_lines":[1],"missing_lines":[3],"functions":{"f":{"missing_lines":[1,7]}}}}}"#,
            vec![(1, 1), (3, 0)],
        ),
        // The counts before the places; two statements on a line.
        (
            Format::Istanbul,
            r#"{"/x/a.x":{"s":{"0":0,"1":2,"2":0},"statementMap":{"0":{"start":{"line":1}},"1":{"start":{"line":1}},"2":{"start":{"line":2}}}}}"#,
            vec![(1, 2), (2, 0)],
        ),
        (
            Format::Go,
            "mode: set\nm/a.x:1.1,2.5 1 0\nm/b.x:9.1,9.2 1 1\nm/a.x:2.5,3.1 1 4\n",
            vec![(1, 0), (2, 4), (3, 4)],
        ),
        // The name behind the segments.
        (
            Format::Llvm,
            r#"{"data":[{"files":[{"segments":[[1,1,2,true,true],[3,1,0,false,false]],"filename":"/x/a.x"}]}]}"#,
            vec![(1, 2), (2, 2), (3, 2)],
        ),
    ];
    for (format, text, expected) in rows {
        assert_eq!(recognise(text.as_bytes()), Some(format), "{text}");
        assert_eq!(lines(format, text), expected, "{text}");
        assert_eq!(diagnostics(format, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn blocks_of_go_say_which_statement_of_a_line_ran() {
    let profile = "mode: set\nm/a.x:1.13,2.12 1 1\nm/a.x:2.12,2.22 1 0\nm/a.x:2.23,2.30 1 0\nm/a.x:2.23,2.30 1 1\n";
    let reading = read_as(Format::Go, profile.as_bytes(), &Wanted::all());
    let file = &reading.coverage.files["m/a.x"];
    let ran = [(1, 0), (1, 14), (2, 1), (2, 12), (2, 25)].map(|place| file.ran_from(place, 2));
    assert_eq!(ran, [None, Some(true), Some(true), Some(false), Some(true)]);
}

#[test]
fn what_is_no_report_is_said() {
    for text in ["", "hello", "<testsuites/>", "{}", "{\"files\":[]}", "TN:\n", "\u{feff}"] {
        assert_eq!(recognise(text.as_bytes()), None, "{text}");
        assert_eq!(read(text.as_bytes(), &Wanted::all()).diagnostics.len(), 1, "{text}");
    }
}

#[test]
fn what_cannot_be_understood_is_counted_and_the_first_is_shown() {
    let said = diagnostics(Format::Lcov, "SF:a\nDA:x,1\nDA:1,-1\nDA:3,1\nend_of_record\n");
    assert_eq!(said, ["has 2 entries that cannot be understood, such as `x,1`"]);
}

#[test]
fn a_number_that_is_cut_is_no_number() {
    let cut = [
        (Format::Lcov, "SF:a.x\nDA:1,0\nDA:12"),
        (Format::Go, "mode: set\na.x:1.1,1.2 1 0\na.x:2.1,2.9 1 1"),
        (
            Format::Cobertura,
            "<coverage><class filename='a.x'><line number='1' hits='0'/><line number='2' hits='1",
        ),
        (Format::CoveragePy, r#"{"files":{"a.x":{"missing_lines":[1],"executed_lines":[2"#),
    ];
    for (format, text) in cut {
        assert_eq!(lines(format, text), [(1, 0)], "{text}");
        assert_eq!(diagnostics(format, text).len(), 1, "{text}");
    }
}

#[test]
fn ranges_are_written_out_to_no_more_lines_than_there_may_be() {
    let wanted = Wanted::all();
    let mut draft = Draft::new(&wanted);
    draft.lines_left = 100;
    draft.ranges("a.x", vec![(1, 4_000, 1), (1, 3_999, 0)]);
    let reading = draft.finish();
    assert_eq!(reading.coverage.files["a.x"].lines.len(), 100);
    assert_eq!(reading.diagnostics.len(), 1);
}

#[test]
fn other_encodings_are_read() {
    let text = "<coverage><class filename='src/a.x'><line number='1' hits='1'/></class></coverage>";
    let utf16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let marked = [&b"\xef\xbb\xbf"[..], text.as_bytes()].concat();
    let go: Vec<u8> =
        "\u{feff}mode: set\na.x:1.1,1.1 1 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [utf16, marked, go] {
        let reading = read(&bytes, &Wanted::these(["a.x"]));
        assert_eq!(reading.coverage.files.len(), 1, "{reading:?}");
    }
}
