//! Changes that are made at random, of which it is known what they bring: every line is right, and says what ran.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use redgreen_coverage::{Coverage, FileCoverage, Version, changed_functions};

/// How a language writes a function, and a statement of its own number in it.
struct Writing {
    file: &'static str,
    head: fn(u32) -> String,
    statement: fn(u32) -> String,
    comment: &'static str,
    end: &'static str,
}

const WRITINGS: &[Writing] = &[
    Writing {
        file: "a.py",
        head: |name| format!("def f{name}(a):"),
        statement: |id| format!("    x = call_{id}(a)"),
        comment: "    # a remark",
        end: "    pass",
    },
    Writing {
        file: "a.ts",
        head: |name| format!("function f{name}(a: number) {{"),
        statement: |id| format!("  call_{id}(a);"),
        comment: "  // a remark",
        end: "}",
    },
    Writing {
        file: "a.go",
        head: |name| format!("func f{name}(a int) {{"),
        statement: |id| format!("\tcall_{id}(a)"),
        comment: "\t// a remark",
        end: "}",
    },
    Writing {
        file: "a.rs",
        head: |name| format!("fn f{name}(a: u32) {{"),
        statement: |id| format!("    call_{id}(a);"),
        comment: "    // a remark",
        end: "}",
    },
];

/// A line of a function: a statement, or something that does nothing.
#[derive(Clone, Copy, Debug)]
enum Line {
    Statement(u32),
    Comment,
    Blank,
}

#[derive(Clone, Debug)]
struct Function {
    name: u32,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
enum Edit {
    Put(usize, usize),
    Take(usize, usize),
    Remark(usize, usize),
    Space(usize, usize),
    AddFunction(usize, u32),
    TakeFunction(usize),
    MoveFunction(usize, usize),
    MoveStatement(usize, usize, usize),
    RenameFunction(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..40_usize;
    prop_oneof![
        3 => (at.clone(), at.clone()).prop_map(|(f, l)| Edit::Put(f, l)),
        2 => (at.clone(), at.clone()).prop_map(|(f, l)| Edit::Take(f, l)),
        1 => (at.clone(), at.clone()).prop_map(|(f, l)| Edit::Remark(f, l)),
        1 => (at.clone(), at.clone()).prop_map(|(f, l)| Edit::Space(f, l)),
        1 => (at.clone(), 1..5_u32).prop_map(|(f, n)| Edit::AddFunction(f, n)),
        1 => at.clone().prop_map(Edit::TakeFunction),
        1 => (at.clone(), at.clone()).prop_map(|(f, t)| Edit::MoveFunction(f, t)),
        1 => (at.clone(), at.clone(), at.clone()).prop_map(|(f, l, t)| Edit::MoveStatement(f, l, t)),
        1 => at.prop_map(Edit::RenameFunction),
    ]
}

/// A file that is edited; what it did not have before has numbers of its own.
struct Edited {
    functions: Vec<Function>,
    next: u32,
    new: BTreeSet<u32>,
}

impl Edited {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn statement(&mut self) -> Line {
        let id = self.number();
        self.new.insert(id);
        Line::Statement(id)
    }

    fn put(&mut self, function: usize, at: usize, line: Line) {
        let count = self.functions.len().max(1);
        if let Some(function) = self.functions.get_mut(function % count) {
            let at = at % (function.lines.len() + 1);
            function.lines.insert(at, line);
        }
    }

    fn take(&mut self, function: usize, at: usize) -> Option<Line> {
        let count = self.functions.len().max(1);
        let lines = &mut self.functions.get_mut(function % count)?.lines;
        (!lines.is_empty()).then(|| lines.remove(at % lines.len()))
    }

    fn edit(&mut self, edit: &Edit) {
        let count = self.functions.len().max(1);
        match *edit {
            Edit::Put(function, at) => {
                let line = self.statement();
                self.put(function, at, line);
            }
            Edit::Take(function, at) => {
                self.take(function, at);
            }
            Edit::Remark(function, at) => self.put(function, at, Line::Comment),
            Edit::Space(function, at) => self.put(function, at, Line::Blank),
            Edit::AddFunction(at, lines) => {
                let name = self.number();
                let lines = (0..lines).map(|_| self.statement()).collect();
                let at = at % (self.functions.len() + 1);
                self.functions.insert(at, Function { name, lines });
            }
            Edit::TakeFunction(at) if self.functions.len() > 1 => {
                self.functions.remove(at % count);
            }
            Edit::MoveFunction(from, to) if self.functions.len() > 1 => {
                let function = self.functions.remove(from % count);
                let to = to % (self.functions.len() + 1);
                self.functions.insert(to, function);
            }
            Edit::MoveStatement(from, at, to) => {
                if let Some(line) = self.take(from, at) {
                    self.put(to, at, line);
                }
            }
            Edit::RenameFunction(at) => {
                let name = self.number();
                if let Some(function) = self.functions.get_mut(at % count) {
                    function.name = name;
                }
            }
            Edit::TakeFunction(_) | Edit::MoveFunction(..) => {}
        }
    }
}

/// The text, and which statement stands on which line.
fn written(
    functions: &[Function],
    writing: &Writing,
    end: &str,
    ends: bool,
) -> (String, BTreeMap<u32, u32>) {
    let (mut lines, mut places) = (Vec::new(), BTreeMap::new());
    for function in functions {
        lines.push((writing.head)(function.name));
        for line in &function.lines {
            lines.push(match line {
                Line::Statement(id) => {
                    places.insert(u32::try_from(lines.len()).unwrap() + 1, *id);
                    (writing.statement)(*id)
                }
                Line::Comment => writing.comment.to_owned(),
                Line::Blank => String::new(),
            });
        }
        lines.extend([writing.end.to_owned(), String::new()]);
    }
    let text = lines.join(end);
    (if ends { text + end } else { text.trim_end().to_owned() }, places)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_line_that_a_change_brings_is_found_and_no_other(
        which in 0..WRITINGS.len(),
        sizes in prop::collection::vec(1..6_u32, 1..5),
        edits in prop::collection::vec(edit(), 0..8),
        ran in prop::collection::vec(any::<bool>(), 64),
        (old_crlf, new_crlf, old_ends, new_ends, renamed) in any::<(bool, bool, bool, bool, bool)>(),
    ) {
        let writing = &WRITINGS[which];
        let mut edited = Edited { functions: Vec::new(), next: 0, new: BTreeSet::new() };
        for size in &sizes {
            edited.edit(&Edit::AddFunction(usize::MAX, *size));
        }
        edited.new.clear();
        let end = |crlf: bool| if crlf { "\r\n" } else { "\n" };
        let (old, _) = written(&edited.functions, writing, end(old_crlf), old_ends);
        edits.iter().for_each(|edit| edited.edit(edit));
        let (new, places) = written(&edited.functions, writing, end(new_crlf), new_ends);

        let has_run = |line: u32| ran[line as usize % ran.len()];
        let hits = places.keys().map(|line| (*line, u64::from(has_run(*line))));
        let path = if renamed { format!("moved/{}", writing.file) } else { writing.file.to_owned() };
        let file = FileCoverage { lines: hits.collect(), ..FileCoverage::default() };
        let coverage = Coverage { files: [(path.clone(), file)].into(), problems: Vec::new() };
        let mut versions = vec![Version { path: &path, old: Some(&old), new: Some(&new) }];
        if renamed {
            versions[0].old = None;
            versions.push(Version { path: writing.file, old: Some(&old), new: None });
        }

        let found = changed_functions(&versions, &coverage);
        let found: BTreeMap<u32, Option<bool>> = found
            .iter()
            .flat_map(|function| &function.statements)
            .map(|statement| (statement.first, statement.ran))
            .collect();
        let known: BTreeMap<u32, Option<bool>> = places
            .iter()
            .filter(|(_, id)| edited.new.contains(id))
            .map(|(line, _)| (*line, Some(has_run(*line))))
            .collect();
        prop_assert_eq!(found, known, "{}\n---\n{}", old, new);
    }
}
