#!/bin/sh
# Runs one case of the command line (tests/cli/README.md): run.sh [-u] CASE PROGRAM. Exit 0 as expected, 1 otherwise,
# 77 skipped.
set -eu

update=no
if [ "$1" = -u ]; then
    update=yes
    shift
fi
CASE=$(cd "$1" && pwd)
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
program=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/work"
ln -s "$program" "$folder/bin/loaderbench"

status=0
(
    cd "$folder/work"
    export CASE SOURCE LC_ALL=C HOME="$folder/work" PATH="$folder/bin:$PATH"
    exec sh "$CASE/cmd"
) </dev/null >"$folder/stdout" 2>"$folder/stderr" || status=$?
if [ "$status" -eq 77 ]; then
    cat "$folder/stdout" "$folder/stderr"
    exit 77
fi
echo "$status" >"$folder/exit"

# Does what was said match what was expected? Lines of both are walked with the set of places in the expected file
# where the walk may stand, so that "..." can stand for any number of lines.
matches() {
    awk '
    function literal(s) {
        gsub(/[][\\.*^$+?(){}|\/]/, "\\\\&", s)
        return s
    }
    function pattern(s,    n, i, part, all) {
        n = split(s, part, /[{][*][}]/)
        all = literal(part[1])
        for (i = 2; i <= n; i++) all = all ".*" literal(part[i])
        return "^" all "$"
    }
    function skip_dots(    i) {
        for (i = 1; i <= n; i++)
            if (at[i] && want[i] == "...") at[i + 1] = 1
    }
    FNR == NR { want[++n] = $0; next }
    !started { at[1] = 1; skip_dots(); started = 1 }
    {
        for (i = n; i >= 1; i--) {
            if (!at[i] || want[i] == "...") continue
            at[i] = 0
            if ($0 ~ pattern(want[i])) next_at[i + 1] = 1
        }
        at[n + 1] = 0
        for (i in next_at) at[i] = 1
        split("", next_at)
        skip_dots()
    }
    END {
        if (!started) { at[1] = 1; skip_dots() }
        exit !at[n + 1]
    }' "$1" "$2"
}

[ -e "$CASE/exit" ] || echo 0 >"$folder/expected-exit"
failed=
for what in stdout stderr exit; do
    want=$CASE/$what
    [ -e "$want" ] || want=$folder/expected-$what
    [ -e "$want" ] || continue
    # A file that does not end in a newline, or is empty, is read by awk all the same; an empty want needs an empty got.
    if [ ! -s "$want" ]; then
        [ -s "$folder/$what" ] || continue
    elif matches "$want" "$folder/$what"; then
        continue
    fi
    if [ "$update" = yes ] && [ -e "$CASE/$what" ]; then
        cp "$folder/$what" "$CASE/$what"
        echo "wrote $CASE/$what"
        continue
    fi
    failed=yes
    echo "$what is not as expected (- expected, + got):"
    diff -u "$want" "$folder/$what" | sed 1,2d || true
done
[ -n "$failed" ] || exit 0
for what in stdout stderr; do
    [ -e "$CASE/$what" ] || { echo "$what was:" && cat "$folder/$what"; }
done
echo "If that is meant to be so: tests/cli/run.sh -u tests/cli/$(basename "$CASE") PROGRAM writes it down."
exit 1
