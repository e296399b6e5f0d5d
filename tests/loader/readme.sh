#!/bin/sh
# Every test that tests/loader/README.md names exists. A name has four words or more; one that ends in ... is a
# beginning. $1: the folder.
set -u
cd "$1" || exit 2
names=$(grep -oE '[a-z0-9]+(_[a-z0-9]+){3,}' README.md | sort -u)
[ "$(echo "$names" | wc -l)" -gt 60 ] || { echo "README.md names too few tests"; exit 1; }
echo "$names" | {
    status=0
    while read -r name; do
        grep -q "^static void $name" ./*.c || { echo "README.md names '$name', which is no test"; status=1; }
    done
    exit $status
}
