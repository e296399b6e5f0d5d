#!/bin/sh
# The check of what is said passes on the tree, and finds a text_addf planted in a file that talks to people.
set -eu
check=$1/tools/said.sh
sh "$check" "$1"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bench"
echo 'text_addf(out, "%s", name);' >"$folder/bench/man.c"
sh "$check" "$folder"
echo 'text_addf(out, "%s", name);' >"$folder/bench/compare.c"
if sh "$check" "$folder" >"$folder/said"; then
    echo "a text_addf in compare.c is not found"
    exit 1
fi
grep -q '^bench/compare.c:1:' "$folder/said"
