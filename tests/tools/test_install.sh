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
    answer=$(bash -c ". '$completion'; COMP_WORDS=(loaderbench li); COMP_CWORD=1; _loaderbench loaderbench li loaderbench
                      echo \"\${COMPREPLY[*]}\"")
    [ "$answer" = list ] || { echo "completion of 'li': $answer"; exit 1; }
    answer=$(bash -c ". '$completion'; COMP_WORDS=(loaderbench list --he); COMP_CWORD=2
                      _loaderbench loaderbench --he list; echo \"\${COMPREPLY[*]}\"")
    [ "$answer" = --help ] || { echo "completion of '--he': $answer"; exit 1; }
fi

# Suites, as many as the source has.
have=$(find "$source/bench/suites" -name '*.yaml' 2>/dev/null | wc -l)
got=$(find "$folder" -path '*/loaderbench/suites/*' -name '*.yaml' | wc -l)
[ "$have" -eq "$got" ] || { echo "$got of $have suites were installed"; exit 1; }
