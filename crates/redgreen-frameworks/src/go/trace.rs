//! What the Go runtime writes when a process dies, and the race detector when it complains.

use crate::stream::Frame;

/// A trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// `panic`, `fatal error`, `data race`, or the signal.
    pub error_type: String,
    /// What was said.
    pub message: String,
    stacks: Vec<Stack>,
    /// The tests that ran when the time was up; none if that is not why.
    pub timed_out: Option<Vec<String>>,
}

/// The calls of one goroutine, innermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stack {
    calls: Vec<Call>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Call {
    function: String,
    file: String,
    line: u32,
}

impl Trace {
    /// Reads a trace from its first line on.
    pub fn read(text: &str) -> Option<Self> {
        let first = text.lines().next()?;
        let head =
            text.lines().take_while(|line| !line.is_empty() && !line.starts_with("goroutine "));
        let mut trace = Self { stacks: stacks(text), ..Self::default() };
        if let Some(rest) = first.strip_prefix("panic: ") {
            "panic".clone_into(&mut trace.error_type);
            trace.message = message(rest, head.skip(1));
            let running = || text.lines().skip(1).filter_map(running_test).collect();
            trace.timed_out = rest.starts_with("test timed out after ").then(running);
        } else if let Some(rest) = first.strip_prefix("fatal error: ") {
            "fatal error".clone_into(&mut trace.error_type);
            trace.message = message(rest, head.skip(1));
        } else if first.starts_with("WARNING: DATA RACE") {
            "data race".clone_into(&mut trace.error_type);
            trace.message = first_access(text);
        } else {
            let (signal, what) = first.split_once(": ")?;
            signal.clone_into(&mut trace.error_type);
            what.clone_into(&mut trace.message);
        }
        Some(trace)
    }

    /// The frames of the goroutine that died, outermost first; where the time was up or all of them
    /// wait, of the one that runs the test's function.
    pub fn frames(&self, function: &str) -> Vec<Frame> {
        let of_test = self.stacks.iter().find(|stack| stack.calls_function(function));
        let waits = self.timed_out.is_some() || self.message.contains("all goroutines are asleep");
        let dying = self.stacks.first().filter(|_| !waits);
        let Some(stack) = dying.or(of_test) else { return Vec::new() };
        stack.calls.iter().rev().map(Call::frame).collect()
    }

    /// Whether the goroutine that died ran this test's function, or was started by it.
    pub fn is_of(&self, function: &str) -> bool {
        self.stacks.first().is_some_and(|stack| stack.calls_function(function))
    }

    /// Where the test's function is, in any of the stacks.
    pub fn test_place(&self, function: &str) -> Option<(String, u32)> {
        let calls = self.stacks.iter().flat_map(|stack| &stack.calls);
        let call = calls.into_iter().find(|call| call.is_in(function))?;
        Some((call.file.clone(), call.line))
    }
}

impl Stack {
    fn calls_function(&self, function: &str) -> bool {
        self.calls.iter().any(|call| call.is_in(function))
    }
}

impl Call {
    /// A closure of a function is in it, too.
    fn is_in(&self, function: &str) -> bool {
        let rest = self.function.strip_prefix(function);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn frame(&self) -> Frame {
        let short = self.function.rsplit('/').next().unwrap_or(&self.function);
        Frame { file: self.file.clone(), line: Some(self.line), function: Some(short.to_owned()) }
    }
}

/// The value of a panic, without what is said about recovering, signals and running tests.
fn message<'text>(first: &str, more: impl Iterator<Item = &'text str>) -> String {
    let value = match first.find(" [recovered") {
        Some(at) if first.ends_with(']') => first.get(..at).unwrap_or(first),
        _ => first,
    };
    let mut lines = vec![value];
    for line in more {
        let again = line.trim_start().strip_prefix("panic: ");
        if line.starts_with("[signal ") || line.trim() == "running tests:" {
            break;
        }
        if again.is_none_or(|again| !again.starts_with(value)) {
            lines.push(line);
        }
    }
    lines.join("\n").trim_end().to_owned()
}

/// `\t\tTestX/sub (2s)`, below `running tests:`.
fn running_test(line: &str) -> Option<String> {
    let (name, _) = line.strip_prefix("\t\t")?.rsplit_once(" (")?;
    Some(name.to_owned())
}

/// `Write at 0x00c000 by goroutine 8:`, without what is different each time.
fn first_access(text: &str) -> String {
    let access = text.lines().nth(1).and_then(|line| line.split(" at ").next()).unwrap_or("");
    let function = stacks(text).first().and_then(|stack| stack.calls.first().map(Call::frame));
    match function.and_then(|frame| frame.function) {
        Some(function) => {
            format!("{} in {function} while another goroutine uses it", access.trim())
        }
        None => "WARNING: DATA RACE".to_owned(),
    }
}

/// Stacks are apart by empty lines; one without a place in a file is none.
fn stacks(text: &str) -> Vec<Stack> {
    let mut stacks = vec![Stack::default()];
    let mut before = "";
    for line in text.lines() {
        if line.trim().is_empty() {
            stacks.push(Stack::default());
        } else if let (Some((file, place)), Some(stack)) = (place(line), stacks.last_mut()) {
            let function = function(before);
            stack.calls.push(Call { function, file: file.to_owned(), line: place });
        }
        before = line;
    }
    stacks.retain(|stack| !stack.calls.is_empty());
    stacks
}

/// `\t/path/file.go:12 +0x1d`
fn place(line: &str) -> Option<(&str, u32)> {
    let (file, rest) = line.strip_prefix(['\t', ' '])?.trim_start().rsplit_once(':')?;
    let number = rest.split(' ').next()?;
    let source = file.ends_with(".go") || file.ends_with(".s") || file.ends_with(".c");
    Some((file, number.parse().ok().filter(|_| source)?))
}

/// `pkg.function(0x1, 0x2)`, or `created by pkg.function in goroutine 7`.
fn function(line: &str) -> String {
    let line = line.trim();
    let line = match line.strip_prefix("created by ") {
        Some(created) => created.split(" in goroutine ").next().unwrap_or(created),
        None => line.rfind('(').and_then(|at| line.get(..at)).unwrap_or(line),
    };
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PANIC: &str = "panic: assignment to entry in nil map [recovered, repanicked]\n\ngoroutine 20 [running]:\ntesting.tRunner.func1.2({0x55a7a0, 0x6cae70})\n\t/usr/local/go/src/testing/testing.go:1974 +0x232\npanic({0x55a7a0?, 0x6cae70?})\n\t/usr/local/go/src/runtime/panic.go:860 +0x13a\nm.org/calc/b.inner(...)\n\t/w/b/b.go:4\nm.org/calc/b.TestPanic.func1(0x3d4dfacd66c8?)\n\t/w/b/b_test.go:5 +0x28\ntesting.tRunner(0x3d4dfacd66c8, 0x592ef8)\n\t/usr/local/go/src/testing/testing.go:2036 +0xea\ncreated by testing.(*T).Run in goroutine 19\n\t/usr/local/go/src/testing/testing.go:2101 +0x4c5\nexit status 2\n";

    #[test]
    fn a_panic_has_its_value_and_frames() {
        let trace = Trace::read(PANIC).unwrap();
        assert_eq!(trace.error_type, "panic");
        assert_eq!(trace.message, "assignment to entry in nil map");
        let frames = trace.frames("m.org/calc/b.TestPanic");
        let own: Vec<String> = frames
            .iter()
            .filter(|frame| frame.file.starts_with("/w"))
            .map(|frame| {
                let function = frame.function.as_deref().unwrap_or_default();
                format!("{function} {}:{}", frame.file, frame.line.unwrap_or_default())
            })
            .collect();
        assert_eq!(own, ["b.TestPanic.func1 /w/b/b_test.go:5", "b.inner /w/b/b.go:4"]);
        assert!(trace.is_of("m.org/calc/b.TestPanic") && !trace.is_of("m.org/calc/b.TestPan"));
        assert_eq!(
            trace.test_place("m.org/calc/b.TestPanic"),
            Some(("/w/b/b_test.go".to_owned(), 5))
        );
        assert_eq!(trace.timed_out, None);
    }

    #[test]
    fn time_limits_name_the_tests_that_ran() {
        let text = "panic: test timed out after 2s\n\trunning tests:\n\t\tTestHang/x (2s)\n\t\tTestB (1s)\n\ngoroutine 17 [running]:\ntesting.(*M).startAlarm.func1()\n\t/go/src/testing/testing.go:2802 +0x354\n\ngoroutine 9 [sleep]:\ntime.Sleep(0x34630b8a000)\n\t/go/src/runtime/time.go:363 +0x165\nm/c.TestHang.func1(0x3?)\n\t/w/c_test.go:5 +0x25\n";
        let trace = Trace::read(text).unwrap();
        assert_eq!(trace.message, "test timed out after 2s");
        assert_eq!(trace.timed_out, Some(vec!["TestHang/x".to_owned(), "TestB".to_owned()]));
        assert_eq!(trace.frames("m/c.TestHang").first().unwrap().line, Some(5));
        assert!(trace.frames("m/c.TestOther").is_empty());
        let asleep = text.replace("panic: test timed", "fatal error: all goroutines are asleep");
        let trace = Trace::read(&asleep).unwrap();
        assert_eq!(trace.frames("m/c.TestHang").first().unwrap().line, Some(5));
    }

    #[test]
    fn other_deaths_have_their_names() {
        let cases = [
            ("fatal error: all goroutines are asleep - deadlock!\n", "fatal error", "all gor"),
            ("SIGSEGV: segmentation violation\nPC=0x1\n", "SIGSEGV", "segmentation violation"),
            ("panic: a\nb [recovered]\n\tpanic: a\nb\n\n", "panic", "a\nb [recovered]"),
            ("panic: a [recovered]\n\tpanic: a\n\n", "panic", "a"),
            ("panic: nil\n[signal SIGSEGV: code=1 addr=0x0]\n\n", "panic", "nil"),
            (
                "WARNING: DATA RACE\nWrite at 0x00c0001 by goroutine 8:\n  m/i.TestRace.func1()\n      /w/i_test.go:3 +0x33\n\nPrevious write",
                "data race",
                "Write in i.TestRace.func1",
            ),
        ];
        for (text, error_type, message) in cases {
            let trace = Trace::read(text).unwrap();
            assert_eq!(trace.error_type, error_type, "{text}");
            assert!(trace.message.starts_with(message), "{text}: {}", trace.message);
        }
        assert_eq!(Trace::read("SIGNAL"), None);
        assert_eq!(Trace::read(""), None);
    }
}
