use super::*;
use crate::adapter::ReportFile;

const TYPED: &str = r#"interface P { n: number }

export function f(p: P): number {
  const name = "é𝒳"; if (p.n > 1) { return g(p.n); }
  return 0;
}
const g = (n: number): number => n;
export const h = f({ n: 0 });
"#;
const COMPILED: &str = r#""use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.h = void 0;
exports.f = f;
function f(p) {
    const name = "é𝒳";
    if (p.n > 1) {
        return g(p.n);
    }
    return 0;
}
const g = (n) => n;
exports.h = f({ n: 0 });
"#;
/// What the TypeScript compiler says of it.
const MAPPINGS: &str = ";;;AAEA,cAGC;AAHD,SAAgB,CAAC,CAAC,CAAI;IACpB,MAAM,IAAI,GAAG,KAAK,CAAC;IAAC,IAAI,CAAC,CAAC,CAAC,GAAG,CAAC,EAAE,CAAC;QAAC,OAAO,CAAC,CAAC,CAAC,CAAC,CAAC,CAAC,CAAC;IAAC,CAAC;IACnD,OAAO,CAAC,CAAC;AACX,CAAC;AACD,MAAM,CAAC,GAAG,CAAC,CAAS,EAAU,EAAE,CAAC,CAAC,CAAC;AACtB,QAAA,CAAC,GAAG,CAAC,CAAC,EAAE,CAAC,EAAE,CAAC,EAAE,CAAC,CAAC";
const RAN: &str = "[[0,290,1],[112,215,1],[169,199,0],[226,234,0]]";

/// What was counted where these processes wrote these lines, and these files and texts were there.
fn counted(files: &[(&str, &str)], texts: &[(&str, String)], processes: &[&str]) -> Coverage {
    let left = |path: String, text: &str| ReportFile { path, bytes: text.as_bytes().to_vec() };
    let mut all = vec![left(HERE.to_owned(), "")];
    all.extend(texts.iter().map(|(id, text)| left(format!("node-{id}.text"), text)));
    all.extend((1..).zip(processes).map(|(at, text)| left(format!("node-{at}-0-aa.jsonl"), text)));
    let asked: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
    let source = |path: &str| Some(files.iter().find(|it| it.0 == path)?.1.to_owned());
    read(&CoverageMaterial { asked: &asked, left: &all, source: &source })
}

fn plain(text: &str) -> String {
    serde_json::json!({ "text": text }).to_string()
}

fn with_map(text: &str, folder: &str, sources: &[&str], mappings: &str) -> String {
    let map = serde_json::json!({ "folder": folder, "sources": sources, "mappings": mappings });
    serde_json::json!({ "text": text, "map": map }).to_string()
}

fn note(file: &str, ranges: &str) -> String {
    format!("{{\"file\": \"{file}\", \"text\": \"t\", \"ranges\": {ranges}}}\n")
}

/// Whether what begins at each of these places ran: a text that is there once, by the line and what it begins with.
fn ran(coverage: &Coverage, (path, source): (&str, &str), begins: &[&str]) -> Vec<Option<bool>> {
    let place = |begin: &&str| {
        let at = source.find(*begin).expect("it is in the source");
        let line = source[..at].matches('\n').count();
        let column = at - source[..at].rfind('\n').map_or(0, |end| end + 1);
        let number = |number: usize| u32::try_from(number).expect("small");
        coverage.files[path].ran_from((number(line + 1), number(column)), number(line + 1))
    };
    begins.iter().map(place).collect()
}

const TYPED_BEGINS: [&str; 6] = ["const name", "if (p", "return g", "return 0", "n;\n", "const h"];
const TYPED_RAN: [Option<bool>; 6] =
    [Some(true), Some(true), Some(false), Some(true), Some(false), Some(true)];

#[test]
fn what_ran_is_told_in_the_places_of_the_source() {
    let text = ("t", with_map(COMPILED, "/p/src", &["a.ts"], MAPPINGS));
    let file = ("/p/src/a.ts", TYPED);
    let coverage = counted(&[file], &[text], &[&note("/p/src/a.ts", RAN)]);
    assert_eq!(ran(&coverage, file, &TYPED_BEGINS), TYPED_RAN);
    assert!(coverage.problems.is_empty());
}

#[test]
fn what_a_build_made_is_its_source() {
    let text = ("t", with_map(COMPILED, "/p/dist", &["../src/a.ts"], MAPPINGS));
    let file = ("/p/src/a.ts", TYPED);
    let coverage = counted(&[file], &[text], &[&note("/p/dist/a.js", RAN)]);
    assert_eq!(ran(&coverage, file, &TYPED_BEGINS), TYPED_RAN);
}

#[test]
fn a_wrapper_in_the_first_line_is_no_part_of_the_file() {
    let head = "'use strict';async (a)=>{{";
    let code = "a(); function b() { c(); }\n";
    let text = format!("{head}{code}}}}}");
    // The whole, the wrapper's function, and one in it that did not run.
    let ranges = format!("[[0, 56, 1], [13, 56, 1], [{}, {}, 0]]", head.len() + 5, head.len() + 26);
    let file = ("/p/a.js", code);
    let same = counted(&[file], &[("t", plain(&text))], &[&note("/p/a.js", &ranges)]);
    assert_eq!(ran(&same, file, &["a();", "c();"]), [Some(true), Some(false)]);
    // The same, two spaces further in, as a map tells.
    let source = "  a(); function b() { c(); }\n";
    let mapped = with_map(&text, "/p", &["a.js"], "AAAE,oBAAoB");
    let coverage = counted(&[("/p/a.js", source)], &[("t", mapped)], &[&note("/p/a.js", &ranges)]);
    assert_eq!(ran(&coverage, ("/p/a.js", source), &["a();", "c();"]), [Some(true), Some(false)]);
}

#[test]
fn the_innermost_part_counts_and_columns_are_bytes() {
    let source = "f(\"𝒳é\"); if (a) { b(); } else { c(); } d();\n";
    let file = ("/p/a.js", source);
    // In units of UTF-16: the letters before take two and one.
    let units = |begin: &str| source[..source.find(begin).expect("there")].encode_utf16().count();
    let ranges = format!(
        "[[0, 99, 1], [{}, {}, 0], [{}, {}, 0], [{}, 99, 3]]",
        units("{ c"),
        units(" d();"),
        units("c()"),
        units(" d();"),
        units(" d();"),
    );
    let coverage = counted(&[file], &[("t", plain(source))], &[&note("/p/a.js", &ranges)]);
    let begins = ["f(", "if (a", "b();", "c();", "d();"];
    let expected = [Some(true), Some(true), Some(true), Some(false), Some(true)];
    assert_eq!(ran(&coverage, file, &begins), expected);
    let columns: Vec<u32> = coverage.files["/p/a.js"].points.iter().map(|it| it.column).collect();
    assert!(columns.contains(&u32::try_from(source.find("{ c").expect("there")).expect("small")));
}

#[test]
fn two_processes_are_one_run() {
    let source = "function a() { x(); }\nfunction b() { y(); }\n";
    let file = ("/p/a.js", source);
    let first = note("/p/a.js", "[[0, 44, 1], [0, 21, 1], [22, 43, 0]]");
    let second = note("/p/a.js", "[[0, 44, 1], [0, 21, 0], [22, 43, 0]]") + "half a li";
    let third = note("/p/a.js", "[[0, 44, 1], [0, 21, 0], [22, 43, 5]]");
    let ran = |processes: &[&str]| {
        ran(&counted(&[file], &[("t", plain(source))], processes), file, &["x();", "y();"])
    };
    assert_eq!(ran(&[&first, &second]), [Some(true), Some(false)]);
    assert_eq!(ran(&[&first, &third]), [Some(true), Some(true)]);
}

#[test]
fn a_text_that_only_kept_its_lines_is_told_by_them() {
    let source = "const a: number = 1;\nfunction b() {\n  return 2;\n}\n";
    let text = "const a = 1;\nfunction b() {\n  return 2;\n}\n//# sourceURL=a.ts\n";
    let ranges = "[[0, 62, 1], [13, 41, 0]]";
    let coverage =
        counted(&[("/p/a.ts", source)], &[("t", plain(text))], &[&note("/p/a.ts", ranges)]);
    assert_eq!(coverage.files["/p/a.ts"].lines, [(1, 1), (2, 0), (3, 0), (4, 0)].into());
}

#[test]
fn what_nothing_tells_is_said() {
    let files = [("/p/a.ts", "let a: number;\n"), ("/p/b.ts", "b();\n"), ("/p/b.js", "b();\n")];
    let notes = note("/p/a.ts", "[[0, 9, 1]]") + "{\"built\": \"/p/dist/b.js\"}\n";
    let coverage = counted(&files, &[("t", plain("let a;\n\nmore();\n"))], &[&notes]);
    let why = "it was changed before it ran, and no source map tells how";
    let built = "the tests run /p/dist/b.js, and no source map says what of it that is: have the build write source maps";
    let expected =
        [format!("/p/a.ts: {why}"), format!("/p/b.ts: {built}"), format!("/p/b.js: {built}")];
    assert_eq!(coverage.problems, expected);
    assert!(coverage.files.is_empty());
}

#[test]
fn where_no_program_was_watched_nothing_is_known() {
    let asked = ["/p/a.js".to_owned()];
    let coverage = read(&CoverageMaterial { asked: &asked, left: &[], source: &|_| None });
    assert_eq!(coverage.problems, ["no program of Node was watched while the check ran"]);
}
