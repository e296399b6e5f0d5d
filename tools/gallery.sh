#!/bin/sh
# Draws every picture of a result into docs/gallery, as SVG: gallery.sh PROGRAM [RESULT.jsonl]. Without RESULT the newest
# under loaderbench-results/, the folder that `loaderbench tune` writes to.
set -eu
cd "$(dirname "$0")/.."
program=$1
result=${2-}
if [ -z "$result" ]; then
    # shellcheck disable=SC2012 # the names are the program's own: a date and a time
    result=$(ls -t loaderbench-results/*.jsonl 2>/dev/null | head -n 1)
fi
if [ -z "$result" ]; then
    echo "gallery: there is no result under loaderbench-results/; ./dev tune makes one" >&2
    exit 2
fi
mkdir -p docs/gallery
echo "Drawing $result into docs/gallery"
exec "$program" plot --format svg --output docs/gallery "$result"
