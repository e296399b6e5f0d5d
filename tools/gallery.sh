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
if [ ! -d $reference/history ]; then
    # Ten nights of one setting. From the seventh on the BLAS takes the kernels of an older CPU.
    mkdir "$work/history"
    printf 'arms:\n  - {name: one product, workers: 0, transform: gemm=256}\n' >"$work/nights.yaml"
    for night in 1 2 3 4 5 6 7 8 9 10; do
        core=
        [ $night -lt 7 ] || core=OPENBLAS_CORETYPE=Nehalem
        env $core "$program" run "$work/nights.yaml" --runs 9 --blocks 2 --turn 5ms --no-plots --unfit-ok -q \
            -o "$work/history/night$(printf %02d $night).jsonl" >/dev/null
        sleep 1 # so that no two begin in the same second
    done
    sed -i "s|$work/||g" "$work"/history/*.jsonl
    mv "$work/history" $reference/history
fi
[ -f $reference/doctor.json ] || "$program" doctor --check roundtrip --json -q >$reference/doctor.json
rm -f "$folder"/*.svg "$folder"/*.png "$folder"/*.gp "$folder"/*.dat
"$program" plot --format svg,png -o "$folder" "$result" >/dev/null
"$program" plot --format svg,png -o "$folder" --rows $reference/gate.json >/dev/null
"$program" plot --format svg,png -o "$folder" --kind history $reference/history/*.jsonl >/dev/null
"$program" plot --format svg,png -o "$folder" --doctor $reference/doctor.json >/dev/null

# Title and question stand on the first line of each script: "# Title: question?"
page=$folder/README.md
{
    echo '# Gallery'
    echo
    echo "Every picture that \`loaderbench plot\` draws, made by \`./dev gallery\` of \`$result\`, a real run,"
    echo "what \`loaderbench gate --plot\` draws, of this program against itself, ten results of one setting (from the"
    echo "seventh on with the BLAS's kernels for an older CPU), and what \`loaderbench doctor\` found between the CPUs."
    echo "The script and the data of each stand beside it: \`gnuplot NAME.gp\` in this folder draws it again."
    { "$program" list plots | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'; echo gate; echo latency; } | while read -r name; do
        [ -f "$folder/$name.svg" ] || continue
        first=$(sed -n '1s/^# //p' "$folder/$name.gp")
        # shellcheck disable=SC2016 # backquotes for Markdown
        printf '\n## %s\n\n%s (`%s`)\n\n![%s](%s.svg)\n' "${first%%: *}" "${first#*: }" "$name" "${first%%: *}" "$name"
    done
} >"$page.new"
mv "$page.new" "$page"
echo "$page and $(find "$folder" -name '*.svg' | wc -l) pictures of $result"
