# Roman numerals.

# Prints the Roman numeral of a number from 1 to 3999.
to_roman() {
    number=$1
    numeral=
    for pair in 1000:M 500:D 100:C 50:L 10:X 5:V 1:I; do
        value=${pair%%:*}
        letters=${pair##*:}
        while [ "$number" -ge "$value" ]; do
            numeral=$numeral$letters
            number=$((number - value))
        done
    done
    printf '%s\n' "$numeral"
}
