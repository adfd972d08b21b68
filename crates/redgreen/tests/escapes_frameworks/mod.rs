//! The escapes that each framework has to be held to by itself: rows 9, 16 and 17 of the
//! project's table. A framework is a [`suite::Suite`] in a file of its own; pytest and cargo test
//! have more rows, in tests of their own.

mod cases;
mod suite;

mod ctest;
mod go;
mod jest;
mod junit;
mod mocha;
mod other;
mod rspec;
mod vitest;

/// Makes a table of a suite: every case is a test, and the last one to end prints the table.
macro_rules! framework {
    ($suite:ident, $name:literal) => {
        mod $suite {
            framework! { @table $suite, $name:
                9 the_command_prints_passed, "the command only prints that all passed";
                9 the_agent_replaces_the_run, "the agent makes the run print that all passed";
                16 odd_tests, "a daemon, bytes that are not UTF-8, terminal control in a name and a message";
                17 floods, "a test floods 100 MB and more";
            }
        }
    };
    (@table $suite:ident, $name:literal: $($row:literal $case:ident, $what:literal;)+) => {
        static TABLE: crate::common::escape::Table =
            crate::common::escape::Table::new($name, [$($row),+].len());
        $(
            #[test]
            fn $case() {
                TABLE.case($row, $what, || crate::escapes_frameworks::cases::$case(&crate::escapes_frameworks::$suite::SUITE));
            }
        )+
    };
}

/// The tests, by framework.
mod escapes {
    framework!(ctest, "ctest (GoogleTest)");
    framework!(go, "go test");
    framework!(jest, "jest");
    framework!(mocha, "mocha");
    framework!(junit, "junit (Maven)");
    framework!(other, "other (report stream)");
    framework!(rspec, "RSpec");
    framework!(vitest, "vitest");
}
