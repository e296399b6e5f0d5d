#!/bin/sh
# Draws docs/gallery from a real result: every kind of picture with the question it answers.
# Usage: tools/gallery.sh PROGRAM [RESULT]   RESULT: results/reference/tune.jsonl, measured first when it is not there
set -eu
cd "$(dirname "$0")/.."
program=$1
result=${2:-results/reference/tune.jsonl}
folder=docs/gallery

if [ ! -f "$result" ]; then
    mkdir -p "$(dirname "$result")"
    "$program" tune --unfit-ok --no-plots -o "$result"
fi
mkdir -p "$folder"
rm -f "$folder"/*.svg "$folder"/*.png "$folder"/*.gp "$folder"/*.dat
"$program" plot --format svg,png -o "$folder" "$result" >/dev/null

# Title and question stand on the first line of each script: "# Title: question?"
page=$folder/README.md
{
    echo '# Gallery'
    echo
    echo "Every picture that \`loaderbench plot\` draws, made by \`./dev gallery\` of \`$result\`, a real run."
    echo "The script and the data of each stand beside it: \`gnuplot NAME.gp\` in this folder draws it again."
    "$program" list plots | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | while read -r name; do
        [ -f "$folder/$name.svg" ] || continue
        first=$(sed -n '1s/^# //p' "$folder/$name.gp")
        # shellcheck disable=SC2016 # backquotes for Markdown
        printf '\n## %s\n\n%s (`%s`)\n\n![%s](%s.svg)\n' "${first%%: *}" "${first#*: }" "$name" "${first%%: *}" "$name"
    done
} >"$page.new"
mv "$page.new" "$page"
echo "$page and $(find "$folder" -name '*.svg' | wc -l) pictures of $result"
