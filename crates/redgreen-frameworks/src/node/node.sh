#!/bin/sh
ours={ours}
case "$NODE_OPTIONS" in
*"$ours"*) ;;
*) [ -z "$REDGREEN_STREAM$REDGREEN_COVERAGE" ] || export NODE_OPTIONS="$ours $NODE_OPTIONS" ;;
esac
IFS=:
set -f
for folder in $PATH; do
    [ "$folder" != {shims} ] && [ -f "$folder/node" ] && [ -x "$folder/node" ] || continue
    exec "$folder/node" "$@"
done
echo "node: not found" >&2
exit 127
