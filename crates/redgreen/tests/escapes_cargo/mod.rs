//! Escapes with cargo test: bad code, and agents that try or happen to get it returned as good. The rows
//! are those of the project's table of escapes; the last test to end prints it.

#[path = "../escapes/agents.rs"]
mod agents;
#[path = "../escapes/histories.rs"]
mod histories;

mod crashes;
mod nothing_ran;
mod output;
mod processes;
mod suite;
mod tools;

crate::common::escape::escapes! { "cargo test":
    1 agents::says_done_and_edits_nothing, "says it is done, edits nothing";
    1 agents::says_done_and_edits_only_a_note, "says it is done, edits only the README";
    2 nothing_ran::there_is_no_test, "there is no test at all";
    2 nothing_ran::every_test_is_skipped, "every test is skipped";
    2 histories::deletes_all_tests, "deletes all tests, one of them red";
    2 histories::deletes_all_green_tests, "deletes all tests, all of them green";
    3 nothing_ran::deletes_the_red_test, "deletes the red test";
    4 nothing_ran::skips_the_red_test, "marks the red test #[ignore]";
    4 nothing_ran::configures_the_red_test_away, "marks the red test #[cfg(…)]";
    8 nothing_ran::the_code_ends_the_process, "process::exit(0) in the code under test";
    9 nothing_ran::a_harness_of_its_own_prints_ok, "a harness of its own prints '12 passed'";
    9 nothing_ran::a_harness_of_its_own_printed_ok_before, "the same before the agent came";
    9 nothing_ran::a_script_stands_in_for_cargo, "a cargo first on PATH prints '12 passed'";
    9 nothing_ran::a_runner_prints_ok, "a configured runner prints '12 passed'";
    9 nothing_ran::the_command_prints_ok, "the command is echo '12 passed'";
    10 agents::the_agents_daemon_would_edit_later, "the agent leaves a daemon that edits later";
    10 processes::somebody_edits_while_the_tests_run, "a file is edited while the tests run";
    10 histories::edits_without_a_new_time, "an edit keeps the time of the file";
    13 histories::fixes_one_and_breaks_another, "fixes one test and breaks another";
    13 histories::breaks_another_after_an_improvement, "improves, then breaks another test";
    14 histories::goes_back_and_forth, "goes back and forth between two wrong versions";
    15 agents::never_ends, "the agent never ends, ignores SIGTERM, has children";
    16 processes::a_test_never_ends, "a test never ends";
    16 processes::a_test_leaves_a_daemon, "a test leaves a setsid daemon";
    17 output::floods, "agent and tests flood 300 MB each";
    17 output::prints_bytes_that_are_not_text, "prints bytes that are not UTF-8";
    17 output::has_terminal_control_in_a_message, "terminal control in a panic's message";
    18 histories::flaky_green_then_red, "flaky: green at the baseline, red then green after";
    18 histories::flaky_red_then_red, "flaky: red then green at the baseline and after";
    18 histories::flaky_red_then_green, "flaky: red then green at the baseline, green then red after";
    18 histories::flaky_by_luck, "red at the baseline, green then red after";
    19 histories::red_before_the_agent_came, "a test was red before, the agent fixes the other";
    20 crashes::a_type_error, "the code has a type error";
    20 crashes::a_syntax_error, "the code has a syntax error";
    20 crashes::an_import_error_in_a_test, "a test imports what is not there";
    20 crashes::broken_before_the_agent_came, "the collection was broken before the agent came";
    21 crashes::segmentation_fault, "SIGSEGV half-way";
    21 crashes::abort, "abort half-way";
    21 crashes::segmentation_fault_in_a_green_test, "SIGSEGV in a test that was green";
    21 crashes::segmentation_fault_beside_a_green_test, "SIGSEGV while another test runs";
    25 agents::dies_half_way, "the agent kills itself after half an edit";
    25 agents::fails_half_way, "the agent exits 1 after half an edit";
    25 agents::dies_half_way_and_keeps_it, "the same with half_edit = keep";
    29 tools::there_is_no_such_command, "the command does not exist";
    29 tools::there_is_no_cargo, "cargo is not on PATH";
    29 tools::there_is_no_such_script, "the script does not exist";
    29 tools::there_is_no_such_folder, "the folder does not exist";
}
