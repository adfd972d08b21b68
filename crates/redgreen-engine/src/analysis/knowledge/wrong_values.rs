//! A value that is not the one that was expected, by how the two differ.

use super::{Entry, row};

pub(super) const ENTRIES: &[Entry] = &[
    row("truth", "", "A condition says the opposite of what is meant: it is negated, or compares the wrong way round.", "Check each comparison, `not` and `and`/`or` with the test's input, and turn round the one that is the wrong way.", "True|False"),
    row("truth", "", "A case is decided too early: an earlier branch returns before the one that fits is reached.", "Follow the test's input through the branches, and see which one answers first.", "false|true"),
    row("nothing", "", "A path through the function ends without giving a value, or what was looked up is not there.", "Find the branch that the test's input takes, and give a value there.", "3|None"),
    row("nothing", "", "What is looked up has another key, or is stored only later.", "Compare the key that is asked for with the one under which it was stored.", "\"a\"|undefined"),
    row("something", "", "The case in which there is nothing to give is not recognised, so a value is made up.", "Add the missing check for that case before the value is made.", "None|0"),
    row("one off", "", "A bound, a start or a step is one too large or too small.", "Check `<` against `<=`, where counting begins, and each `+ 1` and `- 1`.", "5|6"),
    row("one off", "", "One element is counted twice or not at all: the first, the last or an empty one.", "Go through the first and the last round by hand with the test's input.", "10|9"),
    row("sign", "", "The operands of a difference are swapped, or a sign is turned where it should not be.", "Check the order of the operands of each `-`, and each change of sign.", "5|-5"),
    row("rounding", "", "Fractions are held in binary and are not exact; something is compared or added without rounding.", "Round once at the end, or calculate in whole units or decimals.", "0.3|0.30000000000000004"),
    row("rounding", "", "It is rounded too early, too late or to another number of digits.", "See where rounding happens, and how halves are rounded there.", "2.68|2.67"),
    row("factor", "", "A unit is converted once too often, or not at all.", "Check the units of what comes in and of what is expected: percent, thousandths, minor units.", "5|500"),
    row("number", "", "An operator or an operand of the calculation is not the one that is meant.", "Calculate the expected value by hand from the test's input, and compare it with the expression step by step.", "5|8"),
    row("number", "", "The calculation is right, but one of its inputs is already wrong: a constant, a default, or an argument in the wrong place.", "Print the inputs of the calculation, and follow the wrong one back to where it comes from.", "120|96"),
    row("number", "", "A branch that changes the value is taken or left out wrongly.", "Check the conditions around the calculation with the test's input.", "90|100"),
    row("kind", "", "The value is right but of another type: a number as a text, or the other way round.", "Convert it where it enters, or leave out the conversion.", "5|'5'"),
    row("case", "", "Letters are made larger or smaller where they should stay, or stay where they should not.", "Look for where case is changed, and for a comparison that should ignore it.", "'Ann'|'ann'"),
    row("spaces", "", "Spaces or line ends are added or are not taken away.", "Check how the parts are joined, and what is trimmed.", "'a b'|'ab'"),
    row("order", "", "It is sorted by another key, the other way round, or not at all.", "Check the key and the direction of sorting, and whether order is kept on the way.", "[1, 2, 3]|[3, 2, 1]"),
    row("empty", "", "A filter lets nothing through, or what was collected is not what is returned.", "Check the condition of the filter, and which variable is returned.", "[1, 2]|[]"),
    row("not empty", "", "What should be left out is let through: a filter is missing or turned round.", "Check the condition by which elements are left out.", "[]|[1]"),
    row("short", "", "It stops too early: a loop ends or a slice is cut before the last part.", "Check the end of the loop or slice, and what leaves it early.", "[1, 2, 3]|[1, 2]"),
    row("long", "", "Something is added once too often, or is not cut off.", "Check what is put in after the last part, and whether a case is handled twice.", "'a,b'|'a,b,'"),
    row("other", "", "Another branch answers than the one that is meant for this input.", "Find the branch that gives the value that came, and see why its condition holds.", "'small'|'large'"),
    row("other", "", "The text or the value that stands in the code is not the one that is asked for.", "Compare the value in the code with the one in the test, character by character.", "'ready'|'redy'"),
];
