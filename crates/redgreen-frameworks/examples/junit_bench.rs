//! How long reading 25 MB of JUnit XML takes, compared with plain events of quick-xml and with the
//! crate junit-parser, and how much memory it takes beside its result.
//!
//! `cargo run --release -p redgreen-frameworks --example junit_bench [TURNS]`
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use quick_xml::events::Event;
use redgreen_frameworks::{Places, junit};
use redgreen_model::report::{Failure, Location, Report, TestCase};

/// How often each side gets its turn.
const TURNS: usize = 5;
/// How often a process reads the text. The median of them all is shown.
const ROUNDS: usize = 7;
const CLASSES: usize = 1_700;
const TESTS_IN_CLASS: usize = 100;
/// What is compared, as the table calls it.
const SIDES: [&str; 3] = ["junit::read_xml", "quick-xml events", "junit-parser"];

/// Each side is measured in processes of its own, in turns: what one leaves of the heap is not what
/// another has to work with, and a slow minute of the machine is a slow one for all.
fn main() -> Result<(), Box<dyn Error>> {
    let arg = std::env::args().nth(1);
    if let Some(side) = arg.as_deref().filter(|arg| SIDES.contains(arg)) {
        return measure(side);
    }
    let turns = arg.map(|arg| arg.parse()).transpose()?.unwrap_or(TURNS);
    let text = report();
    println!("{} bytes, {} cases", text.len(), CLASSES * TESTS_IN_CLASS);
    let (grown, own) = memory(&text)?;
    println!("{:<28} {:7.1} MiB", "memory while reading", mebibytes(grown));
    println!("{:<28} {:7.1} MiB", "the result's own size", mebibytes(own));
    let mut times = SIDES.map(|_| Vec::new());
    for _ in 0..turns.max(1) {
        for (side, times) in SIDES.iter().zip(&mut times) {
            times.extend(in_its_own_process(side)?);
        }
    }
    for (side, times) in SIDES.iter().zip(times) {
        println!("{side:<28} {:7.1} ms", median(times).as_secs_f64() * 1000.0);
    }
    Ok(())
}

fn in_its_own_process(side: &str) -> Result<Vec<Duration>, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?).arg(side).output()?;
    if !output.status.success() {
        return Err(format!("{side}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(|line| Ok(Duration::from_nanos(line.parse()?))).collect()
}

/// Prints how many nanoseconds each round took.
fn measure(side: &str) -> Result<(), Box<dyn Error>> {
    let text = report();
    for _ in 0..ROUNDS {
        let time = match side {
            "quick-xml events" => timed(|| plain_events(text.as_bytes()))?,
            "junit-parser" => timed(|| Ok(junit_parser::from_reader(text.as_bytes())?))?,
            _ => timed(|| Ok(read(&text)))?,
        };
        println!("{}", time.as_nanos());
    }
    Ok(())
}

fn read(text: &str) -> Report {
    let places = Places { root: Path::new("/home/me/project"), folder: Path::new("") };
    junit::read_xml(text.as_bytes(), places)
}

/// Every event, and nothing done with it. A file is bytes, for us as for it.
fn plain_events(bytes: &[u8]) -> Result<usize, Box<dyn Error>> {
    let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(bytes)?);
    let mut count = 0;
    loop {
        match reader.read_event()? {
            Event::Eof => return Ok(count),
            event => {
                black_box(event);
                count += 1;
            }
        }
    }
}

/// The most memory that reading took beside the text, and what of it is the result.
fn memory(text: &str) -> Result<(u64, u64), Box<dyn Error>> {
    // The kernel keeps the peak; this makes it begin anew.
    fs::write("/proc/self/clear_refs", "5")?;
    let before = status("VmRSS")?;
    let report = read(text);
    let grown = status("VmHWM")?.saturating_sub(before);
    let own = report.tests.iter().map(size).sum::<usize>()
        + (report.tests.capacity() - report.tests.len()) * size_of::<TestCase>();
    Ok((grown, own as u64))
}

fn status(field: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kilobytes.ok_or("no such line in /proc/self/status")?.trim().parse::<u64>()? * 1024)
}

fn size(test: &TestCase) -> usize {
    let failure = test.failure.as_ref().map_or(0, |failure| failure_size(failure));
    size_of::<TestCase>() + test.id.capacity() + failure
}

fn failure_size(failure: &Failure) -> usize {
    let texts = [&failure.error_type, &failure.fingerprint, &failure.message, &failure.stack];
    let maybe = [&failure.test, &failure.expected, &failure.actual];
    let places = failure.location.iter().chain(&failure.test_location).chain(&failure.frames);
    let place = |place: &Location| {
        place.file.capacity() + place.function.as_ref().map_or(0, String::capacity)
    };
    size_of::<Failure>()
        + texts.iter().map(|text| text.capacity()).sum::<usize>()
        + maybe.iter().filter_map(|text| text.as_ref()).map(String::capacity).sum::<usize>()
        + failure.frames.capacity() * size_of::<Location>()
        + places.map(place).sum::<usize>()
}

/// As Surefire writes them: a test in a hundred fails with a trace, one is skipped, some print.
fn report() -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for class in 0..CLASSES {
        let name = format!("com.example.shop.orders.module{}.OrderService{class}Test", class % 17);
        // Writing to a string does not fail.
        let _ = write!(
            out,
            "<testsuite version=\"3.0.2\" name=\"{name}\" time=\"1.234\" tests=\"100\" errors=\"0\" skipped=\"1\" failures=\"1\">\n  <properties>\n    <property name=\"java.version\" value=\"17.0.15\"/>\n    <property name=\"user.dir\" value=\"/home/me/project\"/>\n  </properties>\n"
        );
        for test in 0..TESTS_IN_CLASS {
            case(&mut out, &name, class, test);
        }
        out.push_str("</testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn case(out: &mut String, class_name: &str, class: usize, test: usize) {
    let milliseconds = (class * 31 + test * 7) % 1000;
    let _ = write!(
        out,
        "  <testcase name=\"computesTheTotalOfAnOrderWith{test}Items\" classname=\"{class_name}\" time=\"0.{milliseconds:03}\""
    );
    let _ = match test {
        7 => writeln!(
            out,
            ">\n    <failure message=\"expected: &lt;{test}&gt; but was: &lt;{class}&gt;\" type=\"org.opentest4j.AssertionFailedError\"><![CDATA[org.opentest4j.AssertionFailedError: expected: <{test}> but was: <{class}>\n\tat org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)\n\tat org.junit.jupiter.api.AssertEquals.failNotEqual(AssertEquals.java:197)\n\tat org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:1145)\n\tat com.example.shop.orders.Order.total(Order.java:{})\n\tat {class_name}.computesTheTotalOfAnOrderWith{test}Items(OrderService{class}Test.java:{})\n\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)\n]]></failure>\n  </testcase>",
            class + 10,
            test + 20
        ),
        8 => writeln!(out, ">\n    <skipped message=\"not today\"/>\n  </testcase>"),
        10..=14 => writeln!(
            out,
            ">\n    <system-out><![CDATA[loaded {class} orders\nsaved them in {milliseconds} ms\n]]></system-out>\n  </testcase>"
        ),
        _ => writeln!(out, "/>"),
    };
}

/// The processor's time that it takes: on a busy machine the clock measures the others. What is
/// made is dropped afterwards.
fn timed<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    let before = processor_time()?;
    let made = black_box(work()?);
    let time = processor_time()?.saturating_sub(before);
    drop(made);
    Ok(time)
}

fn processor_time() -> Result<Duration, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds = text.split_whitespace().next().ok_or("no time in /proc/self/schedstat")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "an amount of memory, for people")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}
