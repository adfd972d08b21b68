use super::*;
use crate::language_of;

/// The statements of a source, one a line: `first-last function: text`.
fn shown(path: &str, source: &str) -> Vec<String> {
    let found = statements(language_of(path).expect("a language"), source);
    let shown = found.all.iter().map(|it| {
        let function = it.function.map_or("", |at| &found.functions[at].name);
        let exempt = if it.exempt { " (exempt)" } else { "" };
        format!("{}-{} {function}: {}{exempt}", it.first, it.last, it.text)
    });
    shown.collect()
}

#[test]
fn what_runs_on_another_platform_or_version_is_exempt() {
    let asked = |path: &str, source: &str| -> Vec<String> {
        let mut shown = shown(path, source);
        shown.retain(|line| !line.ends_with("(exempt)") && !line.contains(": if"));
        shown.iter().filter_map(|line| Some(line.split_once(": ")?.1.to_owned())).collect()
    };
    for (condition, left) in [
        ("sys.platform == \"win32\"", "here ( )"),
        ("sys.platform.startswith('win')", "here ( )"),
        ("os.name != 'nt'", "there ( )"),
        ("not WINDOWS", "there ( )"),
        ("sys.version_info >= (3, 99)", ""),
        ("sys.platform == limit", "there ( ) here ( )"),
        ("sys.platform == 'win32' or slow", "there ( ) here ( )"),
        ("mode == 'win32'", "there ( ) here ( )"),
        ("hasattr(os, 'fork')", ""),
        ("hasattr(item, 'price')", "there ( ) here ( )"),
        ("'price' in item", "there ( ) here ( )"),
    ] {
        let source =
            format!("def f():\n    if {condition}:\n        there()\n    else:\n        here()\n");
        assert_eq!(asked("a.py", &source).join(" "), left, "{condition}");
    }
    let source = "function f() { if (process.platform === 'win32') { there(); } here(); }";
    assert_eq!(asked("a.js", source), ["here ( )"]);
    for (of, left) in [("zlib", vec![]), ("prices", vec!["there ( )"])] {
        let source = format!(
            "const hasZstd = 'createZstd' in {of};\nfunction f() {{ if (hasZstd) {{ there(); }} }}"
        );
        let shown = asked("a.js", &source);
        assert_eq!(shown[1..], left, "{of}");
    }
    let source = "package a\nfunc f() {\n\tif runtime.GOOS == \"windows\" {\n\t\tthere()\n\t}\n\there()\n}\n";
    assert_eq!(asked("a.go", source), ["here ( )"]);
}

#[test]
fn what_only_logs_is_exempt() {
    for (path, source, exempt) in [
        ("a.py", "def f():\n    self._logger.debug('a %s', b())\n", true),
        ("a.py", "def f():\n    logging.warning('a')\n", true),
        ("a.py", "def f():\n    a = log.info('a')\n", false),
        ("a.py", "def f():\n    dialog.info('a')\n", false),
        ("a.py", "def f():\n    log.append('a')\n", false),
        ("a.ts", "function f() { console.error('a', error); }", true),
        ("a.ts", "function f() { this.errors.error('a'); }", false),
    ] {
        let shown = shown(path, source);
        assert_eq!(shown.iter().all(|it| it.ends_with("(exempt)")), exempt, "{source}");
        assert_eq!(shown.len(), 1, "{source}");
    }
}

#[test]
fn python() {
    let source = r#"""" What it does. """
import os
LIMIT = 3; total: int; __all__ = ["Cart"]; Rule = Callable[[int], int]



class Cart(Base):
    """A cart."""

    size: int = 4

    @property
    def price(self, rate=LIMIT):
        # why
        if (self.empty and
                not rate):
            return 0
        elif rate > 3:
            pass
        else: raise NotImplementedError
        for item in self.items: total(
            item)
        try:
            def inner(): return 3
            return inner()
        except ValueError:
            log()


if __name__ == "__main__":
    main()
"#;
    assert_eq!(
        shown("a.py", source),
        [
            "3-3 : LIMIT = 3",
            "10-10 : size : int = 4",
            "15-16 Cart.price: if ( self . empty and not rate ) :",
            "17-17 Cart.price: return 0",
            "18-18 Cart.price: elif rate > 3 :",
            "20-20 Cart.price: raise NotImplementedError (exempt)",
            "21-21 Cart.price: for item in self . items :",
            "21-22 Cart.price: total ( item )",
            "23-23 Cart.price: try :",
            "24-24 Cart.inner: return 3",
            "25-25 Cart.price: return inner ( )",
            "27-27 Cart.price: log ( )",
            "30-30 : if __name__ == \" __main__ \" : (exempt)",
            "31-31 : main ( ) (exempt)",
        ]
    );
}

#[test]
fn typescript() {
    let source = r#"'use strict';
import { a } from './a';
const fs = require('fs');
export interface Price { value: number }
export type Rate = number;
export const rate = (value: number): number => value * 2;
const limit = 3, other = 4;
let later;
export default class Cart {
  size = 4;
  total(items: Item[]) {
    if (!items) return 0; else if (items.length > 3) {
      return items.map((item) => item.price)
        .reduce(sum);
    }
    switch (this.size) {
      case 4: log(); break;
      default: throw new Error('x');
    }
    items.forEach(function (item) {
      item.sell();
    });
  }
}
exports.run = function () { return 1 };
"#;
    assert_eq!(
        shown("a.ts", source),
        [
            "6-6 rate: value * 2",
            "7-7 : const limit = 3 , other = 4",
            "12-12 Cart.total: if ( ! items )",
            "12-12 Cart.total: return 0",
            "12-12 Cart.total: if ( items . length > 3 )",
            "13-14 Cart.total: return items . map ( ( item ) => ) . reduce ( sum )",
            "13-13 Cart.total: item . price",
            "16-16 Cart.total: switch ( this . size ) {",
            "17-17 Cart.total: log ( )",
            "17-17 Cart.total: break",
            "18-18 Cart.total: throw new Error ( \" x \" )",
            "20-20 Cart.total: items . forEach ( function ( item )",
            "21-21 Cart.total: item . sell ( )",
            "25-25 : exports . run = function ( )",
            "25-25 exports.run: return 1",
        ]
    );
}

#[test]
fn go() {
    let source = r#"package cart

import "fmt"

const Limit = 3

var table = build()

type Cart struct{ items []Item }

func (c *Cart) Total(rate int) (int, error) {
	var sum int
	for _, item := range c.items {
		sum += item.Price * rate
	}
	if err := c.check(); err != nil {
		return 0, fmt.Errorf("check: %w",
			err)
	}
	switch {
	case sum > Limit:
		go func() { c.log() }()
	default:
	}
	return sum, nil
}
"#;
    assert_eq!(
        shown("a.go", source),
        [
            "12-12 Total: var sum int",
            "13-13 Total: for _ , item := range c . items",
            "14-14 Total: sum += item . Price * rate",
            "16-16 Total: if err := c . check ( ) ; err != nil",
            "17-18 Total: return 0 , fmt . Errorf ( \" check: %w \" , err )",
            "20-21 Total: switch { case sum > Limit :",
            "22-22 Total: go func ( )",
            "22-22 Total: c . log ( )",
            "25-25 Total: return sum , nil",
        ]
    );
}

#[test]
fn rust() {
    let source = r#"use std::fmt;
const LIMIT: u32 = 3;
impl Cart {
    /// The total.
    pub fn total(&self) -> Option<u32> {
        let found = self.items.iter()
            .map(|item| item.price)
            .sum();
        let later;
        match found {
            0 => return None,
            1 => { log!("one"); }
            _ => unreachable!(),
        }
        if found > LIMIT { later = 1 } else { later = 2 }
        Some(found + later)
    }
}
"#;
    assert_eq!(
        shown("a.rs", source),
        [
            "6-8 Cart.total: let found = self . items . iter ( ) . map ( | item | ) . sum ( )",
            "7-7 Cart.total: item . price",
            "10-11 Cart.total: match found { 0 =>",
            "11-11 Cart.total: return None",
            "12-12 Cart.total: log ! ( \" one \" )",
            "13-13 Cart.total: unreachable ! ( ) (exempt)",
            "15-15 Cart.total: if found > LIMIT",
            "15-15 Cart.total: later = 1",
            "15-15 Cart.total: later = 2",
            "16-16 Cart.total: Some ( found + later )",
        ]
    );
}

#[test]
fn java() {
    let source = r#"package cart;
import java.util.List;
class Cart {
    private final int limit = 3;
    Cart(int size) { this.size = size; }
    int total(List<Item> items) {
        int sum;
        int rate = 3;
        for (Item item : items) sum += item.price();
        try { check(); } catch (Exception e) { throw new Error(e); }
        return switch (rate) { case 3 -> sum; default -> 0; };
    }
}
"#;
    assert_eq!(
        shown("A.java", source),
        [
            "5-5 Cart.Cart: this . size = size",
            "8-8 Cart.total: int rate = 3",
            "9-9 Cart.total: for ( Item item : items )",
            "9-9 Cart.total: sum += item . price ( )",
            "10-10 Cart.total: try",
            "10-10 Cart.total: check ( )",
            "10-10 Cart.total: throw new Error ( e )",
            "11-11 Cart.total: return switch ( rate ) { case 3 ->",
            "11-11 Cart.total: sum",
            "11-11 Cart.total: 0",
        ]
    );
}

#[test]
fn ruby() {
    let source = "LIMIT = 3\nmodule Shop\n  class Cart\n    def total(rate)\n      return 0 if rate.nil?\n      \
                  items.each do |item|\n        add(item)\n      end\n    end\n  end\nend\n";
    assert_eq!(
        shown("a.rb", source),
        [
            "1-1 : LIMIT = 3",
            "5-5 Shop.Cart.total: return 0 if rate . nil?",
            "6-6 Shop.Cart.total: items . each do | item |",
            "7-7 Shop.Cart.total: add ( item )",
        ]
    );
}

#[test]
fn a_statement_has_the_column_where_it_begins() {
    let found = statements(language_of("a.js").expect("a language"), "if (a) { b(); }\n");
    let columns: Vec<u32> = found.all.iter().map(|statement| statement.column).collect();
    assert_eq!(columns, [0, 9]);
}

#[test]
fn no_test_can_call_where_a_go_program_begins() {
    let exempt = |package: &str| {
        let source = format!(
            "package {package}\n\nfunc main() {{\n\trun()\n}}\n\nfunc run() {{\n\tgo main()\n}}\n"
        );
        let found = statements(language_of("a.go").expect("a language"), &source).all;
        found.iter().map(|it| it.exempt).collect::<Vec<_>>()
    };
    assert_eq!((exempt("main"), exempt("mainly")), (vec![true, false], vec![false, false]));
}

#[test]
fn layout_and_comments_are_no_part_of_a_statement() {
    let one = "def f(a):\n    return g(a, b)\n";
    let other =
        "def f(a):\r\n    # why\r\n    return g(\r\n        a,\r\n        b,  # what\r\n    )\r\n";
    let text =
        |source| statements(language_of("a.py").expect("a language"), source).all.remove(0).text;
    assert_eq!(text(one), text(other));
}

#[test]
fn every_source_has_statements_or_none() {
    for path in ["a.py", "a.ts", "a.go", "a.rs", "A.java", "a.rb", "a.cc"] {
        for source in ["", "}}}{{{", "\u{0}\u{1}", "def f(:\n  if\n", &"(".repeat(9000)] {
            let _ = statements(language_of(path).expect("a language"), source);
        }
    }
}
