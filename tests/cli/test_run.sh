#!/bin/sh
# The runner of cases must find what is wrong: each twin below breaks one thing and must fail.
set -eu
run=$(cd "$(dirname "$0")" && pwd)/run.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program" <<'PROGRAM'
#!/bin/sh
echo "a (1) [x]"
echo "took 12 ms"
echo "end"
echo "careful" >&2
exit 3
PROGRAM
chmod +x "$folder/program"

# $1: expected exit status of the runner; $2: name; $3 to $5: stdout, stderr, exit ("-" = no such file).
try() {
    mkdir "$folder/$2"
    echo loaderbench >"$folder/$2/cmd"
    [ "$3" = - ] || printf '%b' "$3" >"$folder/$2/stdout"
    [ "$4" = - ] || printf '%b' "$4" >"$folder/$2/stderr"
    [ "$5" = - ] || echo "$5" >"$folder/$2/exit"
    status=0
    sh "$run" "$folder/$2" "$folder/program" >"$folder/said" 2>&1 || status=$?
    if [ "$status" -ne "$1" ]; then
        echo "$2: the runner exited with $status instead of $1"
        cat "$folder/said"
        exit 1
    fi
}

whole='a (1) [x]\ntook 12 ms\nend\n'
try 0 literal "$whole" 'careful\n' 3
try 0 pattern_in_a_line 'a (1) [x]\ntook {*} ms\nend\n' - 3
try 0 dots_for_some_lines 'a (1) [x]\n...\nend\n' - 3
try 0 dots_for_no_line 'a (1) [x]\n...\ntook 12 ms\n...\nend\n...\n' - 3
try 0 dots_alone '...\n' '...\n' 3
try 1 wrong_exit "$whole" - 0
try 1 missing_exit_means_0 "$whole" - -
try 1 one_line_less 'a (1) [x]\ntook 12 ms\n' - 3
try 1 one_line_more "${whole}more\\n" - 3
try 1 another_word 'a (1) [y]\ntook 12 ms\nend\n' - 3
try 1 brackets_are_no_pattern 'a (1) x\ntook 12 ms\nend\n' - 3
try 1 a_dot_is_no_pattern 'a (1) [x]\ntook .. ms\nend\n' - 3
try 1 pattern_with_another_end 'a (1) [x]\ntook {*} s\nend\n' - 3
try 1 dots_before_a_line_that_is_not_there '...\nnever\n' - 3
try 1 empty_expected '' - 3
try 1 wrong_stderr "$whole" 'careless\n' 3
try 1 empty_stderr "$whole" '' 3

mkdir "$folder/skipped"
echo 'echo no network; exit 77' >"$folder/skipped/cmd"
status=0
sh "$run" "$folder/skipped" "$folder/program" >"$folder/said" || status=$?
[ "$status" -eq 77 ] && grep -q 'no network' "$folder/said"
