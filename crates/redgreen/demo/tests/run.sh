#!/bin/sh
# A test runner in plain shell. It tells redgreen what it runs through the report stream, as any
# runner can: one JSON document a line, appended to the file that $REDGREEN_STREAM names.
. ./roman.sh

stream=${REDGREEN_STREAM:-/dev/null}
run=roman-$$
red=0

tell() { printf '{"event":"%s","run":"%s"%s}\n' "$1" "$run" "$2" >>"$stream"; }

check() {
    name="to_roman $1 is $2"
    tell start ",\"test\":\"$name\",\"file\":\"tests/run.sh\""
    actual=$(to_roman "$1")
    if [ "$actual" = "$2" ]; then
        printf 'ok      %s\n' "$name"
        tell end ",\"test\":\"$name\",\"outcome\":\"passed\""
    else
        printf 'NOT OK  %s, but %s\n' "$name" "$actual"
        line=$(grep -n 'for pair in' roman.sh | cut -d: -f1)
        tell end ",\"test\":\"$name\",\"outcome\":\"failed\",\"failure\":{\"type\":\"AssertionError\",\"message\":\"to_roman $1 gave $actual\",\"expected\":\"$2\",\"actual\":\"$actual\",\"frames\":[{\"file\":\"roman.sh\",\"line\":${line:-1},\"function\":\"to_roman\"}]}"
        red=1
    fi
}

tell hello ',"runner":"roman"'
check 1 I
check 3 III
check 4 IV
check 9 IX
check 14 XIV
check 1994 MCMXCIV
check 3888 MMMDCCCLXXXVIII
tell bye ",\"exit\":$red"
exit "$red"
