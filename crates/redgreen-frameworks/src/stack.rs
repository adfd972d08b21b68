//! Stack traces as text, in the shapes of the common languages, for failures that come without
//! frames.

use crate::stream::Frame;

/// Packages of Java that are no project's own.
const JAVA_FOREIGN: &[&str] = &[
    "java.",
    "javax.",
    "jdk.",
    "sun.",
    "com.sun.",
    "kotlin.",
    "scala.",
    "groovy.",
    "junit.",
    "org.junit.",
    "org.gradle.",
    "org.apache.maven.",
    "org.opentest4j.",
    "org.assertj.",
    "org.hamcrest.",
    "org.mockito.",
    "org.testng.",
    "org.springframework.",
];

/// The frames of a stack trace, outermost first. A text that has none has none.
pub(crate) fn frames_in(text: &str) -> Vec<Frame> {
    let mut frames = Vec::new();
    let mut innermost_first = false;
    let mut before = "";
    for line in text.lines() {
        // A second goroutine is another stack.
        if line.starts_with("goroutine ") && !frames.is_empty() {
            break;
        }
        if let Some(frame) = python(line) {
            frames.push(frame);
        } else if let Some(frame) = at_line(line).or_else(|| below_its_name(before, line)) {
            frames.push(frame);
            innermost_first = true;
        }
        before = line;
    }
    if innermost_first {
        frames.reverse();
    }
    frames
}

/// `File "PATH", line 3, in name`, and pytest's `PATH.py:3: in name` and `PATH.py:3: KeyError`.
fn python(line: &str) -> Option<Frame> {
    let line = line.trim();
    if let Some(rest) = line.strip_prefix("File \"") {
        let (file, rest) = rest.split_once("\", line ")?;
        let (number, name) = match rest.split_once(", in ").or_else(|| rest.split_once(" in ")) {
            Some((number, name)) => (number, Some(name.trim().to_owned())),
            None => (rest, None),
        };
        return Some(Frame {
            file: file.to_owned(),
            line: number.trim().parse().ok(),
            function: name,
        });
    }
    let (file, rest) = line.split_once(".py:")?;
    let (number, what) = rest.split_once(": ")?;
    let frame = Frame {
        file: format!("{file}.py"),
        line: Some(number.parse().ok()?),
        function: what.strip_prefix("in ").map(str::to_owned),
    };
    (!file.contains(' ')).then_some(frame)
}

/// `at name (PATH:3:5)` and `at PATH:3:5` of JavaScript, `at package.Class.method(File.java:3)`.
fn at_line(line: &str) -> Option<Frame> {
    let rest = line.trim_start().strip_prefix("at ")?.trim_end();
    let rest = rest.strip_prefix("async ").unwrap_or(rest);
    let Some((name, place)) = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) else {
        return place_of(rest).filter(|_| looks_like_javascript(rest));
    };
    if !name.ends_with(' ') {
        return java(name, place);
    }
    let mut frame = place_of(place)?;
    frame.function = Some(name.trim().to_owned());
    Some(frame)
}

/// A Rust frame's place is on a line of its own as well, and its name on the line before.
fn looks_like_javascript(place: &str) -> bool {
    let file = place.split(':').next().unwrap_or_default();
    let script = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte"];
    place.starts_with("file:") || script.contains(&file.rsplit('.').next().unwrap_or_default())
}

fn java(name: &str, place: &str) -> Option<Frame> {
    let name = name.rsplit('/').next()?;
    if JAVA_FOREIGN.iter().any(|package| name.starts_with(package)) {
        return None;
    }
    let (file, line) = place.split_once(':').unwrap_or((place, ""));
    let (class, method) = name.rsplit_once('.')?;
    let package = class.rsplit_once('.').map(|(package, _)| package.replace('.', "/"));
    let simple = class.rsplit('.').next()?;
    file.contains('.').then(|| Frame {
        // As the file is found under any source folder.
        file: package.map_or(file.to_owned(), |package| format!("{package}/{file}")),
        line: line.parse().ok(),
        function: Some(format!("{simple}.{method}")),
    })
}

/// Go's and Rust's frames: the name on one line, the place on the next.
fn below_its_name(name: &str, line: &str) -> Option<Frame> {
    if let Some(rest) = line.trim_start().strip_prefix("at ") {
        let (number, name) = name.trim().split_once(": ")?;
        number.parse::<u32>().ok()?;
        let mut frame = place_of(rest.trim())?;
        frame.function = Some(name.to_owned());
        return Some(frame);
    }
    let rest = line.strip_prefix('\t')?;
    let (file, rest) = rest.split_once(".go:")?;
    let number = rest.split(' ').next()?;
    let name = name.strip_prefix("created by ").unwrap_or(name).trim();
    let name = name.split(" in goroutine").next()?;
    let name = name
        .strip_suffix(')')
        .and_then(|name| name.rfind('(').and_then(|at| name.get(..at)))
        .unwrap_or(name);
    Some(Frame {
        file: format!("{file}.go"),
        line: Some(number.parse().ok()?),
        function: Some(name.to_owned()),
    })
}

/// `PATH:3:5`, `PATH:3`, `file:///PATH:3:5`.
fn place_of(text: &str) -> Option<Frame> {
    let text = text.strip_prefix("file://").unwrap_or(text);
    let (head, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    let (file, line) = match head.rsplit_once(':').map(|(file, line)| (file, line.parse())) {
        Some((file, Ok(line))) => (file, line),
        _ => (head, last),
    };
    let plain = !file.is_empty() && !file.starts_with("node:");
    plain.then(|| Frame { file: file.replace("%20", " "), line: Some(line), function: None })
}

/// A function's name without what a compiler or an engine adds to it; none for one without a name.
pub(crate) fn plain_function(name: &str) -> Option<String> {
    let name = name.trim();
    let name = name.strip_prefix("async ").unwrap_or(name);
    let name = name.strip_prefix("new ").unwrap_or(name);
    let name = name.split(" [as ").next().unwrap_or(name);
    // Go: the import path before the package. Rust: the hash and closures after the function.
    let name =
        if name.contains(['<', ' ']) { name } else { name.rsplit('/').next().unwrap_or(name) };
    let mut parts: Vec<&str> =
        if name.contains("::") { name.split("::").collect() } else { vec![name] };
    parts.retain(|part| {
        !is_rust_hash(part) && *part != "{{closure}}" && !part.starts_with("{closure")
    });
    let mut name = parts.join("::");
    while let Some((head, last)) = name.rsplit_once('.') {
        let digits =
            last.strip_prefix("func").or_else(|| last.strip_prefix("gowrap")).unwrap_or(last);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        name = head.to_owned();
    }
    for engine in ["Object.", "Module.", "Context.", "Suite.", "Test.", "exports.", "global."] {
        if let Some(rest) = name.strip_prefix(engine) {
            name = rest.to_owned();
        }
    }
    (!name.is_empty() && !matches!(name.as_str(), "<anonymous>" | "eval" | "<unknown>"))
        .then_some(name)
}

fn is_rust_hash(part: &str) -> bool {
    part.len() == 17
        && part.starts_with('h')
        && part.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        frames_in(text)
            .iter()
            .map(|frame| {
                let line = frame.line.unwrap_or(0);
                format!("{}:{line} {}", frame.file, frame.function.as_deref().unwrap_or("-"))
            })
            .collect()
    }

    #[test]
    fn stacks_are_read_outermost_first() {
        let cases: [(&str, &[&str]); 7] = [
            (
                "Traceback (most recent call last):\n  File \"/p/a.py\", line 3, in main\n    run()\n  File \"/p/b.py\", line 9, in run\nKeyError: 1",
                &["/p/a.py:3 main", "/p/b.py:9 run"],
            ),
            (
                "tests/test_a.py:3: in test_x\n    f()\nsrc/a.py:7: KeyError",
                &["tests/test_a.py:3 test_x", "src/a.py:7 -"],
            ),
            (
                "Error: x\n    at total (/p/src/cart.js:3:9)\n    at async Object.<anonymous> (/p/cart.test.js:8:3)\n    at file:///p/a%20b/x.mjs:4:5\n    at node:internal/process/task_queues:95:5",
                &[
                    "/p/a b/x.mjs:4 -",
                    "/p/cart.test.js:8 Object.<anonymous>",
                    "/p/src/cart.js:3 total",
                ],
            ),
            (
                "panic: boom\n\ngoroutine 7 [running]:\nexample.com/cart.(*Cart).Total(0x0)\n\t/p/cart.go:12 +0x1d\ntesting.tRunner(0xc0, 0x1)\n\t/usr/local/go/src/testing/testing.go:1 +0x1\n\ngoroutine 1 [chan receive]:\nmain.main()\n\t/p/main.go:1 +0x1",
                &[
                    "/usr/local/go/src/testing/testing.go:1 testing.tRunner",
                    "/p/cart.go:12 example.com/cart.(*Cart).Total",
                ],
            ),
            (
                "stack backtrace:\n   0: core::panicking::panic\n             at /rustc/x/library/core/src/panicking.rs:80:14\n   1: cart::total::h0123456789abcdef\n             at ./src/lib.rs:4:5",
                &[
                    "./src/lib.rs:4 cart::total::h0123456789abcdef",
                    "/rustc/x/library/core/src/panicking.rs:80 core::panicking::panic",
                ],
            ),
            (
                "java.lang.IllegalStateException: x\n\tat com.acme.Cart.total(Cart.java:12)\n\tat java.base/java.util.List.of(List.java:1)\n\tat com.acme.CartTest.adds(CartTest.java:8)",
                &["com/acme/CartTest.java:8 CartTest.adds", "com/acme/Cart.java:12 Cart.total"],
            ),
            ("at the end of the day: 5 (see a:b)\nFile \"x\n.py:", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn names_are_without_what_engines_add() {
        let cases = [
            ("async Object.total", Some("total")),
            ("new Cart", Some("Cart")),
            ("Cart.total [as sum]", Some("Cart.total")),
            ("Object.<anonymous>", None),
            ("example.com/x/cart.(*Cart).Total", Some("cart.(*Cart).Total")),
            ("cart.TestTotal.func1.2", Some("cart.TestTotal")),
            ("cart::total::{{closure}}::h0123456789abcdef", Some("cart::total")),
            ("test_x.<locals>.inner", Some("test_x.<locals>.inner")),
            ("", None),
        ];
        for (given, wanted) in cases {
            assert_eq!(plain_function(given).as_deref(), wanted, "{given}");
        }
    }
}
