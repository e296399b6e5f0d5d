#!/bin/sh
# Proves ./dev test and ./dev tune on a machine that has nothing: a bare Debian 12 tree in a temporary folder, made
# from the package sources this machine is configured with. What is committed is tested, not the working tree.
# With arguments, that command is run in the tree instead: tools/fresh.sh .ci/run
# All mounts and processes live in namespaces of their own, so nothing is left behind however it ends. Needs root.
set -eu
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ]; then
    echo "fresh: needs root (debootstrap, chroot)" >&2
    exit 2
fi

# First source of the release's main packages that apt is configured with.
mirror() {
    # shellcheck disable=SC2016 # apt's own placeholders
    apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        awk '$2 == "bookworm" && $3 == "main" { print $1; exit }'
}

# What apt was told here, told to the tree too: sources, keys, proxies.
copy_apt_settings() {
    rm -f "$1/etc/apt/sources.list"
    for what in sources.list sources.list.d apt.conf apt.conf.d preferences.d auth.conf.d keyrings trusted.gpg.d; do
        [ ! -e "/etc/apt/$what" ] || cp -a "/etc/apt/$what" "$1/etc/apt/"
    done
    [ ! -d /usr/share/keyrings ] || cp -a /usr/share/keyrings/. "$1/usr/share/keyrings/"
    [ ! -d /etc/ssl/certs ] || { mkdir -p "$1/etc/ssl" && cp -aL /etc/ssl/certs "$1/etc/ssl/"; }
    cp -L /etc/resolv.conf "$1/etc/resolv.conf"
    cp -L /etc/hosts "$1/etc/hosts"
}

both='
    echo "== fresh: ./dev tune --budget 20s"
    ./dev tune --unfit-ok --budget 20s
    echo "== fresh: what tune left behind"
    find loaderbench-results -type f
    echo "== fresh: ./dev test"
    ./dev test
'

# Runs inside the namespaces. $1: tree, then the command (none = both).
inside() {
    tree=$1
    shift
    [ $# -gt 0 ] || set -- sh -euc "$both"
    mount -t proc proc "$tree/proc"
    mount --rbind /sys "$tree/sys"
    mount --rbind /dev "$tree/dev"
    mount -t tmpfs tmpfs "$tree/dev/shm"
    # shellcheck disable=SC2016 # expands inside
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        chroot "$tree" sh -euc 'cd /root/loaderbench && exec "$@"' fresh "$@" </dev/null
}

if [ "${1-}" = inside ]; then
    shift
    inside "$@"
    exit
fi

source=$(mirror)
if [ -z "$source" ]; then
    echo "fresh: apt has no source of Debian 12 (bookworm) main here" >&2
    exit 2
fi
[ -z "$(git status --porcelain)" ] || echo "fresh: what is not committed is left out"

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT TERM HUP
tree=$folder/debian
echo "== fresh: a bare Debian 12 in $tree"
debootstrap --variant=minbase bookworm "$tree" "$source" >"$folder/debootstrap.log" 2>&1 || {
    tail -n 20 "$folder/debootstrap.log" >&2
    exit 5
}
copy_apt_settings "$tree"
git clone --quiet --no-hardlinks . "$tree/root/loaderbench"
unshare --mount --propagation private --pid --fork --kill-child tools/fresh.sh inside "$tree" "$@"
echo "== fresh: it works on a bare Debian 12"
