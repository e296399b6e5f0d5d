#!/bin/sh
# What is said to people goes through text_sayf, which keeps a foreign word (a name, a path, what a subject says) within
# its line. In bench/ text_addf is for what has none: the manual, the completion, help, and forms that programs read.
# Usage: tools/said.sh [TREE]; exit 1 when another file uses it, with each place.
set -eu
cd "${1:-$(dirname "$0")/..}"

if grep -nH 'text_addf(' bench/*.c | grep -v -E '^bench/(completion|export|help|man|option_help|trace_log)\.c:'; then
    echo "these say text_addf: text_sayf keeps foreign words within their line"
    exit 1
fi
