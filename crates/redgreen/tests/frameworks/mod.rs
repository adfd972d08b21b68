//! The same twenty nasty cases for every framework: a fixture project that the real framework runs
//! under the real binary, and a table of what must come out, all of it.
//!
//! A framework is a folder in `fixtures` and a file beside this one. In the folder, `base` is what
//! all runs share, and every other folder is one run's own files. Cases that end the process, never
//! end, or do not build have a run of their own; the rest goes together.

mod model;
mod play;

mod cargo;
mod ctest;
mod go;
mod jest;
mod junit;
mod mocha;
mod other;
mod pytest;
mod rspec;
mod vitest;
mod vitest1;
mod vitest3;
mod vitest4;

/// Makes a test of every run of a framework, one for its flaky test, and one that counts the cases.
macro_rules! framework {
    ($module:ident: $($run:ident)+) => {
        mod $module {
            $(
                #[test]
                fn $run() {
                    crate::frameworks::play::run(&crate::frameworks::$module::MODEL, stringify!($run));
                }
            )+

            #[test]
            fn flaky() {
                crate::frameworks::play::flaky(&crate::frameworks::$module::MODEL);
            }

            #[test]
            fn every_case_is_there() {
                crate::frameworks::model::assert_every_case(&crate::frameworks::$module::MODEL, &[$(stringify!($run)),+]);
            }
        }
    };
}

/// The tests, by framework.
mod nasty {
    framework!(cargo: together crash exit hang broken);
    framework!(ctest: together crash exit hang broken);
    framework!(go: together crash exit hang broken);
    framework!(jest: together crash exit hang broken);
    framework!(junit: together crash exit hang broken);
    framework!(mocha: together crash exit hang broken);
    framework!(other: together crash exit hang broken);
    framework!(pytest: together crash exit hang broken);
    framework!(rspec: together crash exit hang broken);
    framework!(vitest: together crash exit hang broken);
    framework!(vitest1: together crash exit hang broken);
    framework!(vitest3: together crash exit hang broken);
    framework!(vitest4: together crash exit hang broken);
}
