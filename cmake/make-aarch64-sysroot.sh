#!/bin/sh
# Unpacks what an aarch64 build links with into DIR, without touching this machine's package database: installing
# -dev packages of another architecture beside the native ones would remove some of those.
#
# usage: make-aarch64-sysroot.sh [DIR]      default build/sysroot-aarch64; nothing is done when it is complete
# Needs: apt, dpkg, aarch64-linux-gnu-gcc; not root.
set -eu
cd "$(dirname "$0")/.."
dir=${1:-build/sysroot-aarch64}
stamp=.complete-2 # raise the number when the list of packages changes

gcc_version=$(aarch64-linux-gnu-gcc -dumpversion | cut -d. -f1)
packages="libc6-dev libgcc-$gcc_version-dev libicu-dev libstemmer-dev libxxhash-dev libzstd-dev
    zlib1g-dev liblzma-dev libjansson-dev libuv1-dev libsqlite3-dev libexpat1-dev libbz2-dev"

if [ -e "$dir/$stamp" ]; then
    exit 0
fi
rm -rf "$dir"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/etc"
: >"$work/state/status"

# Ubuntu keeps the ports on a server of their own.
cp -r /etc/apt/sources.list /etc/apt/sources.list.d "$work/etc/" 2>/dev/null || true
find "$work/etc" -type f -exec sed -i -E \
    's#https?://[a-z.]*(archive|security)\.ubuntu\.com/ubuntu#http://ports.ubuntu.com/ubuntu-ports#g' {} +

private_apt() {
    apt-get -qq \
        -o Dir::State="$work/state" -o Dir::State::status="$work/state/status" \
        -o Dir::Cache="$work/cache" \
        -o Dir::Etc::sourcelist="$work/etc/sources.list" \
        -o Dir::Etc::sourceparts="$work/etc/sources.list.d" \
        -o APT::Architecture=arm64 -o APT::Architectures::=arm64 \
        -o APT::Install-Recommends=false -o APT::Sandbox::User=root \
        -o Debug::NoLocking=true "$@"
}
private_apt update
# shellcheck disable=SC2086
private_apt --download-only -y install $packages >/dev/null

for package in "$work"/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$dir"
done

# bin, lib and sbin live in usr on a machine; in the packages some files still go to the old place.
for part in bin lib sbin; do
    if [ -d "$dir/$part" ] && [ ! -L "$dir/$part" ]; then
        mkdir -p "$dir/usr/$part"
        cp -a "$dir/$part/." "$dir/usr/$part/"
        rm -rf "${dir:?}/$part"
    fi
    ln -sfn "usr/$part" "$dir/$part"
done

# Links to absolute paths would lead out of the sysroot.
find "$dir" -type l | while read -r link; do
    target=$(readlink "$link")
    case $target in
    /*) ln -sfn "$dir$target" "$link" ;;
    esac
done
: >"$dir/$stamp"
echo "sysroot for aarch64: $dir ($(du -sh "$dir" | cut -f1))"
