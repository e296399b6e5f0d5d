#!/bin/sh
# `cmake --install` puts program, manual, completion and suites in place, and they work from there.
set -eu
source=$1
build=$2
cmake=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --prefix "$folder" >/dev/null

"$folder/bin/loaderbench" --version | grep -q '^loaderbench [0-9]'
manual=$(find "$folder" -name loaderbench.1)
grep -q '^\.SH DESCRIPTION' "$manual"
if command -v man >/dev/null 2>&1 && command -v groff >/dev/null 2>&1; then
    LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$manual" >"$folder/page" 2>"$folder/warnings"
    [ ! -s "$folder/warnings" ] || { cat "$folder/warnings"; exit 1; }
fi

# The completion answers as bash would ask it.
if command -v bash >/dev/null 2>&1; then
    completion=$(find "$folder" -path '*bash-completion*' -name loaderbench)
    # $1: what it must answer; then the words, of which the last is completed.
    completes() {
        want=$1
        shift
        # shellcheck disable=SC2016 # expands inside
        got=$(bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
                       _loaderbench loaderbench "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                       echo "${COMPREPLY[*]}"' "$completion" "$@")
        [ "$got" = "$want" ] || { echo "completion of '$*': '$got' instead of '$want'"; exit 1; }
    }
    cd "$folder" && : >a_file
    completes list loaderbench li
    completes verify loaderbench help ver
    completes --help loaderbench list --he
    completes --threads loaderbench tune --thr
    completes all loaderbench tune --threads a
    completes 1,all loaderbench tune -t 1,a
    completes all loaderbench tune --threads = a
    completes 'svg png pdf' loaderbench plot --format ''
    completes a_file loaderbench tune --output a_
    completes a_file loaderbench plot a_
    completes '' loaderbench tune --budget ''
fi

# Suites, as many as the source has.
have=$(find "$source/bench/suites" -name '*.yaml' 2>/dev/null | wc -l)
got=$(find "$folder" -path '*/loaderbench/suites/*' -name '*.yaml' | wc -l)
[ "$have" -eq "$got" ] || { echo "$got of $have suites were installed"; exit 1; }
