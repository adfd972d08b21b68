//! How fast console logs are read, compared with splitting the same bytes into lines, and how much
//! memory that takes, compared with the result.
//!
//! `cargo run --release -p redgreen-frameworks --example console_bench [MEGABYTES [ROUNDS [LOG]]]`
#![allow(clippy::print_stdout, reason = "it is there to print")]

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;

use redgreen_frameworks::{Places, console};
use redgreen_model::report::{Failure, Report, TestCase};

const MEGABYTES: usize = 100;
const ROUNDS: usize = 5;
const MEGABYTE: usize = 1_000_000;

type Made = fn(usize) -> String;

/// The logs: mostly noise as CI has it, and the worst that is still a log.
const LOGS: [(&str, Made); 4] =
    [("noise", noise), ("results", results), ("coloured", coloured), ("findings", findings)];

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let mut number = || args.next().map(|arg| arg.parse::<usize>()).transpose();
    let megabytes = number()?.unwrap_or(MEGABYTES).max(1);
    let rounds = number()?.unwrap_or(ROUNDS).max(1);
    let only = args.next();
    println!("{megabytes} MB each, median of {rounds}");
    for (name, made) in LOGS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let log = made(megabytes * MEGABYTE);
        let memory = memory_ratio(log.as_bytes())?;
        let (mut ours, mut split) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            split.push(timed(|| count_lines(log.as_bytes()))?);
            ours.push(timed(|| read(log.as_bytes()))?);
        }
        let (ours, split) = (median(ours), median(split));
        println!(
            "{name:10} {:8.1} ms {:7.0} MB/s  line splitting {:7.0} MB/s  ratio {:5.1}  memory {memory:4.2} times the result",
            ours.as_secs_f64() * 1e3,
            speed(log.len(), ours),
            speed(log.len(), split),
            ours.as_secs_f64() / split.as_secs_f64(),
        );
    }
    Ok(())
}

fn read(bytes: &[u8]) -> Vec<console::ConsoleRun> {
    let places = Places { root: Path::new("/home/runner/work/shop/shop"), folder: Path::new("") };
    console::read(bytes, places, None)
}

/// The limit: what it takes to find where the lines end.
fn count_lines(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', bytes).map(|at| black_box(at) & 1).sum()
}

/// A log of CI: a time stamp before each line, what servers and builds print, and a test now and then.
fn noise(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 1000);
    log.push_str("2026-01-02T03:04:05.0000000Z ============================= test session starts ==============================\n");
    let mut number = 0_u32;
    while log.len() < bytes {
        number += 1;
        log.push_str("2026-01-02T03:04:05.1234567Z ");
        let _ = match number % 50 {
            0 => writeln!(
                log,
                "tests/unit/test_orders.py::TestOrders::test_number_{number} PASSED        [ 42%]"
            ),
            1..=20 => writeln!(
                log,
                "INFO:     172.18.0.{} - \"GET /api/v1/orders/{number}?expand=items HTTP/1.1\" 200 OK in 12.5 ms",
                number % 250
            ),
            21..=30 => writeln!(
                log,
                "2026-01-02 03:04:05,678 [worker-{}] DEBUG shop.orders: loaded order {number} with 3 items",
                number % 8
            ),
            31..=40 => writeln!(
                log,
                "  Downloading package-{number}-1.2.3-py3-none-any.whl.metadata (3.4 kB)"
            ),
            41..=45 => writeln!(
                log,
                "    at /srv/app/node_modules/library-{number}/dist/index.js:12:34 -> ok"
            ),
            46 => writeln!(log),
            _ => writeln!(
                log,
                "{{\"level\":\"info\",\"time\":1767323045678,\"pid\":{number},\"msg\":\"request completed\",\"error\":null}}"
            ),
        };
    }
    log.push_str("2026-01-02T03:04:05.0000000Z ===================== 1 failed, 12 passed in 12.34s =====================\n");
    log
}

/// Nothing but results: every line is a test of its own.
fn results(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 1000);
    log.push_str("running 999999 tests\n");
    let mut number = 0_u32;
    while log.len() < bytes {
        number += 1;
        let _ = writeln!(log, "test module_{}::tests::number_{number} ... ok", number % 100);
    }
    log.push_str("test result: ok. 5 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s\n");
    log
}

/// Every line is coloured, and many tests fail with a block each.
fn coloured(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 1000);
    let mut number = 0_u32;
    while log.len() < bytes {
        number += 1;
        let _ = match number % 20 {
            0 => writeln!(
                log,
                "\u{1b}[0m\u{1b}[7m\u{1b}[1m\u{1b}[31m FAIL \u{1b}[39m\u{1b}[22m\u{1b}[27m\u{1b}[0m \u{1b}[2msrc/\u{1b}[22m\u{1b}[1mfile_{number}.test.js\u{1b}[22m"
            ),
            1 => writeln!(
                log,
                "\u{1b}[1m\u{1b}[31m  \u{1b}[1m● \u{1b}[22m\u{1b}[1morders › adds number {number}\u{1b}[39m\u{1b}[22m"
            ),
            2 => writeln!(
                log,
                "    \u{1b}[2mexpect(\u{1b}[22m\u{1b}[31mreceived\u{1b}[39m\u{1b}[2m).\u{1b}[22mtoBe\u{1b}[2m(\u{1b}[22m\u{1b}[32mexpected\u{1b}[39m\u{1b}[2m)\u{1b}[22m"
            ),
            3 => writeln!(log, "    Expected: \u{1b}[32m3\u{1b}[39m"),
            4 => writeln!(log, "    Received: \u{1b}[31m4\u{1b}[39m"),
            _ => writeln!(
                log,
                "\u{1b}[2m     \u{1b}[90m {number} |\u{1b}[39m   \u{1b}[36mconst\u{1b}[39m order \u{1b}[33m=\u{1b}[39m \u{1b}[36mawait\u{1b}[39m load(\u{1b}[35m{number}\u{1b}[39m)\u{1b}[33m;\u{1b}[39m\u{1b}[22m"
            ),
        };
    }
    log
}

/// Every line looks like something and most are not.
fn findings(bytes: usize) -> String {
    let mut log = String::with_capacity(bytes + 1000);
    let mut number = 0_u32;
    while log.len() < bytes {
        number += 1;
        let _ = match number % 5 {
            0 => writeln!(
                log,
                "src/module_{number}.c:12:34: warning: unused variable 'x' [-Wunused-variable]"
            ),
            1 => writeln!(log, "error: something about number {number}: not found"),
            2 => writeln!(log, "web:{number}: GET /orders::list took 3 ms ... ok | cached"),
            3 => writeln!(
                log,
                "  {number}:5  note  shop.orders.test_{number} (shop.Orders) ... waiting"
            ),
            _ => writeln!(
                log,
                "[worker] test_{number} > loads - error: retried (3 passed in this round)"
            ),
        };
    }
    log
}

/// The most memory that reading took beside the input, in sizes of its result.
fn memory_ratio(bytes: &[u8]) -> Result<f64, Box<dyn Error>> {
    // From here on the kernel remembers the peak anew.
    fs::write("/proc/self/clear_refs", "5")?;
    let before = status_bytes("VmRSS")?;
    let runs = read(bytes);
    let peak = status_bytes("VmHWM")?.saturating_sub(before);
    let own: usize = runs.iter().map(|run| size_of_report(&run.report)).sum();
    // What is small beside any program is not worth a ratio.
    Ok(peak as f64 / own.max(MEGABYTE) as f64)
}

fn status_bytes(field: &str) -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no such field")?;
    Ok(number.trim().parse::<u64>()? * 1024)
}

fn size_of_report(report: &Report) -> usize {
    let test = |test: &TestCase| {
        size_of::<TestCase>() + test.id.len() + test.failure.as_deref().map_or(0, size_of_failure)
    };
    report.tests.iter().map(test).sum::<usize>()
        + report.errors.iter().map(size_of_failure).sum::<usize>()
}

fn size_of_failure(failure: &Failure) -> usize {
    let some = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    size_of::<Failure>()
        + failure.error_type.len()
        + failure.message.len()
        + failure.stack.len()
        + some(&failure.test)
        + some(&failure.expected)
        + some(&failure.actual)
}

/// Time on the processor: others may use the machine, too.
fn timed<T>(work: impl FnOnce() -> T) -> Result<Duration, Box<dyn Error>> {
    let before = processor_time()?;
    let result = black_box(work());
    let time = processor_time()? - before;
    drop(result);
    Ok(time)
}

fn processor_time() -> Result<Duration, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = text.split(' ').next().ok_or("no time")?;
    Ok(Duration::from_nanos(nanoseconds.parse()?))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn speed(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / MEGABYTE as f64 / time.as_secs_f64()
}
