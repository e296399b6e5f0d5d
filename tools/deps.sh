#!/bin/sh
# What the project needs from the system, set by set, and how it gets there. One row a package:
#   SET | DEBIAN PACKAGE | HOW TO SEE THAT IT IS THERE | WHAT IT IS FOR
# A thing that is there by another way than its Debian package counts.
# Usage: tools/deps.sh SET...      installs what is missing (apt-get, as root or through sudo)
#        tools/deps.sh -n SET...   only says what is missing; exit 2 when something is
set -eu

rows() {
    cat <<'TABLE'
build | gcc                     | program cc               | compiles the program
build | libc6-dev               | header stdio.h           | the C library's headers
build | cmake                   | program cmake            | configures the build
build | ninja-build             | program ninja            | runs the build
build | pkg-config              | program pkg-config       | finds the libraries
build | libhwloc-dev            | module hwloc             | topology, CPU sets and binding
build | libpapi-dev             | header sde_lib.h         | hardware counters, software-defined events
build | libopenblas-pthread-dev | module openblas          | matrix products and their threads
build | libjansson-dev          | module jansson           | result files (JSON lines)
build | libgsl-dev              | module gsl               | distributions and fits
build | libyaml-dev             | module yaml-0.1          | suites (YAML)
build | libjpeg62-turbo-dev     | module libjpeg           | decodes JPEG samples
build | libpng-dev              | module libpng            | decodes PNG samples
build | libarchive-dev          | module libarchive        | tar shards
build | libmd-dev               | module libmd             | digests of what was delivered
build | libxxhash-dev           | module libxxhash         | fast hashes of what was delivered
build | gnuplot-nox             | program gnuplot          | draws the plots
build | fonts-dejavu-core       | file /usr/share/fonts    | letters in the plots
test  | libcmocka-dev           | module cmocka            | the unit tests
test  | libopenblas0-openmp     | file /usr/lib/*/openblas-openmp | the OpenMP build: told apart in tests
test  | libopenblas0-serial     | file /usr/lib/*/openblas-serial | the serial build, likewise
lint  | clang-format            | program clang-format     | layout of the source
lint  | clang-tidy              | program clang-tidy       | findings in the source
lint  | shellcheck              | program shellcheck       | findings in the scripts
fuzz  | clang                   | program clang            | compiles the fuzz targets
fuzz  | libclang-rt-14-dev      | runtime fuzzer           | libFuzzer and the sanitizers of clang
browser | chromium              | program chromium         | shows the report
browser | chromium-driver       | program chromedriver     | drives the browser
browser | curl                  | program curl             | talks to the driver
fresh | debootstrap             | program debootstrap      | makes the bare Debian tree
fresh | git                     | program git              | copies the checkout
TABLE
}

# Is it there? $1: kind, $2: name.
present() {
    case $1 in
    program) command -v "$2" >/dev/null 2>&1 ;;
    module) pkg-config --exists "$2" 2>/dev/null ;;
    header) [ -e "/usr/include/$2" ] || [ -e "/usr/local/include/$2" ] ;;
    file) [ -e "$2" ] ;;
    runtime) clang --print-file-name="libclang_rt.$2-$(uname -m).a" 2>/dev/null | grep -q / ;;
    esac
}

# Rows of the wanted sets that are not there, as "package: what for".
missing() {
    rows | while IFS='|' read -r set package check purpose; do
        # shellcheck disable=SC2086 # splits at blanks on purpose: the columns are padded
        set -- $set $package $check
        case " $wanted " in *" $1 "*) ;; *) continue ;; esac
        present "$3" "$4" || echo "$2:$purpose"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

only_say=no
if [ "${1-}" = -n ]; then
    only_say=yes
    shift
fi
wanted="$*"
list=$(missing)
[ -n "$list" ] || exit 0

if [ "$only_say" = yes ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "loaderbench needs these (names of Debian packages):" >&2
    echo "$list" | sed 's/^/  /' >&2
    [ "$only_say" = yes ] || echo "There is no apt-get here: install them, then run this again." >&2
    exit 2
fi
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
    echo "These are missing, and installing them takes root or sudo:" >&2
    echo "$list" | sed 's/^/  /' >&2
    exit 2
fi
echo "Installing what is missing, with apt-get:" >&2
echo "$list" | sed 's/^/  /' >&2
packages=$(echo "$list" | cut -d: -f1)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_all() {
    as_root apt-get -q update || return
    # shellcheck disable=SC2086 # one word a package
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends $packages
}
if ! install_all >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "The installation failed." >&2
    exit 2
fi
list=$(missing)
if [ -n "$list" ]; then
    echo "Still missing after the installation:" >&2
    echo "$list" | sed 's/^/  /' >&2
    exit 2
fi
