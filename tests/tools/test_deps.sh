#!/bin/sh
# What is missing is named with its reason, once; nothing is installed and nothing asked of the network when all is
# there; without apt-get there is a list and exit 2.
set -eu
deps=$1/tools/deps.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin" "$folder/marks"

# A place where only what the script itself needs can be found, and apt-get leaves a mark.
for tool in sh cat cut sed id grep uname dirname env mktemp rm tail; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
cat >"$folder/apt-get" <<MARK
#!/bin/sh
echo "\$@" >>"$folder/marks/apt-get"
MARK
chmod +x "$folder/apt-get"

# Without apt-get: the list, exit 2.
status=0
PATH="$folder/bin" sh "$deps" lint >"$folder/said" 2>&1 || status=$?
[ "$status" -eq 2 ]
grep -q 'shellcheck: findings in the scripts' "$folder/said"
grep -q 'There is no apt-get here' "$folder/said"
if grep -q 'cmake' "$folder/said"; then exit 1; fi

# With one that installs nothing: it is called, for what is missing only, and the outcome is looked at. A program that
# is there is not asked for.
mv "$folder/apt-get" "$folder/bin/apt-get"
printf '#!/bin/sh\nexec "$@"\n' >"$folder/bin/sudo"
printf '#!/bin/sh\n' >"$folder/bin/shellcheck"
chmod +x "$folder/bin/sudo" "$folder/bin/shellcheck"
status=0
PATH="$folder/bin" sh "$deps" lint >"$folder/said" 2>&1 || status=$?
[ "$status" -eq 2 ]
grep -q 'install -y --no-install-recommends clang-format clang-tidy$' "$folder/marks/apt-get"
grep -q 'Still missing' "$folder/said"

# All there: silence, and apt-get is left alone.
rm "$folder/marks/apt-get"
for tool in clang-format clang-tidy; do cp "$folder/bin/shellcheck" "$folder/bin/$tool"; done
PATH="$folder/bin" sh "$deps" lint >"$folder/said" 2>&1
[ ! -s "$folder/said" ]
[ ! -e "$folder/marks/apt-get" ]
