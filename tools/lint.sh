#!/bin/sh
# Layout, findings, who includes whom, scripts: each check says what it found; exit 1 when one found something.
# Needs the compile commands of build/dev (./dev lint makes them). A file that passed is not looked at again until
# it, a header, or the settings change.
set -eu
cd "$(dirname "$0")/.."
jobs=$(nproc 2>/dev/null || echo 2)
failed=

check() {
    echo "lint: $1"
    shift
    "$@" || failed=yes
}

sources() {
    find base kernels loader datasets results harness plots bench tests -name '*.[ch]' 2>/dev/null | sort
}

scripts() {
    echo dev
    echo .ci/run
    find tools tests -name '*.sh' | sort
}

layout() {
    sources | xargs -n 16 clang-format --dry-run -Werror
}

# Compiled sources only: others have no command to analyse them with.
compiled() {
    sources | grep '\.c$' | while read -r file; do
        ! grep -q -F "\"file\": \"$PWD/$file\"" build/dev/compile_commands.json || echo "$file"
    done
}

# One source; the stamp holds a digest of the source, all headers and the settings.
tidy_one() {
    stamp=build/dev/tidy/$1.ok
    digest=$(cat "$1" build/dev/tidy/headers | cksum)
    [ "$(cat "$stamp" 2>/dev/null)" != "$digest" ] || return 0
    mkdir -p "$(dirname "$stamp")"
    if ! clang-tidy --quiet -p build/dev "$1" 2>"$stamp.log"; then
        grep -v 'warnings\{0,1\} generated' "$stamp.log" >&2 || true
        return 1
    fi
    echo "$digest" >"$stamp"
}

findings() {
    mkdir -p build/dev/tidy
    # shellcheck disable=SC2046 # one word a file
    cat .clang-tidy $(sources | grep '\.h$') | cksum >build/dev/tidy/headers
    compiled | xargs -P "$jobs" -n 1 tools/lint.sh tidy-one
}

# Public headers hold one idea (STYLE: about 200 lines).
headers() {
    find ./*/include -name '*.h' | while read -r file; do
        lines=$(wc -l <"$file")
        [ "$lines" -le 200 ] || echo "$file: $lines lines (a public header aims at 200)"
    done
}

if [ "${1-}" = tidy-one ]; then
    tidy_one "$2"
    exit
fi
check "layout (clang-format)" layout
check "who includes whom" tools/includes.sh .
check "foreign words on a line" tools/said.sh .
# shellcheck disable=SC2046 # one word a script
check "scripts (shellcheck)" shellcheck $(scripts)
check "length of public headers (a warning)" headers
check "findings (clang-tidy)" findings
[ -z "$failed" ] || { echo "lint: failed" >&2; exit 1; }
echo "lint: nothing found"
