#!/bin/sh
# Follows the recipes of CONTRIBUTING.md to the letter in a scratch copy: each file is written out, each word put into
# its list, then all is built with warnings as errors, laid out as lint wants it, tested, and used.
# $1: source, $2: cmake
set -eu
source=$1
cmake=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tree=$folder/tree
mkdir "$tree"
(cd "$source" && tar cf - --exclude=./build --exclude=./.git --exclude=./loaderbench-results .) | tar xf - -C "$tree"
cd "$tree"

# A file is named in `...`: at the end of the line before its block.
awk '
    /^```c$/ && name { out = name; next }
    /^```$/ { if (out) close(out); out = ""; next }
    out { print > out; print out > "written"; next }
    { name = match($0, /`[a-z_\/]+\.c`:$/) ? substr($0, RSTART + 1, RLENGTH - 3) : $0 == "" ? name : "" }
' CONTRIBUTING.md
sort -u written >files
rm written
cat files

sed -i 's/^set(kernels /&offset /; s/^set(kernels$/&\n  offset/' kernels/CMakeLists.txt
sed -i 's/^set(formats /&ramp /; s/^set(formats$/&\n  ramp/' datasets/CMakeLists.txt
sed -i 's/^set(commands$/&\n  clock/' bench/CMakeLists.txt
sed -i 's/X(compact)/& X(backwards)/' harness/policies.h
sed -i 's/X(workers)/& X(starts)/' plots/list.h

if command -v clang-format >/dev/null 2>&1; then
    xargs clang-format --dry-run -Werror <files
fi
sh tools/includes.sh .
"$cmake" --preset dev >configure.log 2>&1 || { cat configure.log; exit 1; }
"$cmake" --build build/dev -j 2 >build.log 2>&1 || { cat build.log; exit 1; }

program=build/dev/loaderbench
"$program" list kernels | grep -q '^  offset  *adds a constant'
"$program" list affinity | grep -q '^  backwards '
"$program" clock --reads 1000 | grep -q ' ns$'
"$program" help clock | grep -q '^  -n, --reads N .*how often it is read (1 to 1000000000; default'
"$program" help | grep -q '^  clock '
[ "$("$program" clock --reads 0 2>&1)" = 'loaderbench clock: --reads: 0 is outside 1 to 1000000000' ]
"$(find build/dev/tests -name plots_draw_fixture -type f -perm -u+x)" "$folder/pictures" 8
find "$folder/pictures" -name starts.svg | grep -q .
(cd build/dev && ctest -R '^(kernels|datasets)/|^bench/test_(command|option)$|^plots/test_draw$' --output-on-failure)
help=tests/cli/the_help_of_every_command_reads_like_this
if sh tests/cli/run.sh $help $program >/dev/null; then
    echo "the case of the help does not see a new command"
    exit 1
fi
sh tests/cli/run.sh -u $help $program
sh tests/cli/run.sh $help $program
