#!/bin/sh
# Draws docs/gallery from real results: every kind of picture with the question it answers.
# Usage: tools/gallery.sh PROGRAM [RESULT]   RESULT: results/reference/tune.jsonl
# What is missing in results/reference is measured first: on a machine where nothing else runs. To measure all anew,
# delete the files there.
set -eu
cd "$(dirname "$0")/.."
program=$1
reference=results/reference
result=${2:-$reference/tune.jsonl}
folder=docs/gallery
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$reference" "$folder"
[ -f "$result" ] || "$program" tune --no-plots --unfit-ok -o "$result"
if [ ! -f $reference/gate.json ]; then
    # The program against itself: 0 (pass) and 3 (inconclusive) are what that should come to.
    code=0
    "$program" gate bench/suites/ci.yaml --baseline-exe "$program" -o "$work/gate.jsonl" \
        --export-json "$work/gate.json" >"$work/text" || code=$?
    [ $code -eq 0 ] || [ $code -eq 3 ] || { cat "$work/text"; exit $code; }
    sed '/^  "result": /d' "$work/gate.json" >$reference/gate.json
fi
rm -f "$folder"/*.svg "$folder"/*.png "$folder"/*.gp "$folder"/*.dat
"$program" plot --format svg,png -o "$folder" "$result" >/dev/null
"$program" plot --format svg,png -o "$folder" --rows $reference/gate.json >/dev/null

# Title and question stand on the first line of each script: "# Title: question?"
page=$folder/README.md
{
    echo '# Gallery'
    echo
    echo "Every picture that \`loaderbench plot\` draws, made by \`./dev gallery\` of \`$result\`, a real run,"
    echo "and what \`loaderbench gate --plot\` draws, of this program against itself."
    echo "The script and the data of each stand beside it: \`gnuplot NAME.gp\` in this folder draws it again."
    { "$program" list plots | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'; echo gate; } | while read -r name; do
        [ -f "$folder/$name.svg" ] || continue
        first=$(sed -n '1s/^# //p' "$folder/$name.gp")
        # shellcheck disable=SC2016 # backquotes for Markdown
        printf '\n## %s\n\n%s (`%s`)\n\n![%s](%s.svg)\n' "${first%%: *}" "${first#*: }" "$name" "${first%%: *}" "$name"
    done
} >"$page.new"
mv "$page.new" "$page"
echo "$page and $(find "$folder" -name '*.svg' | wc -l) pictures of $result"
