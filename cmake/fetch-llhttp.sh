#!/bin/sh
# Unpacks the package node-llhttp into DIR without installing it: only its three C files are of use.
set -eu
dir=${1:?usage: fetch-llhttp.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
    echo "apt-get and dpkg-deb are needed to fetch it" >&2
    exit 1
}
if ! apt-get -qq download node-llhttp 2>/dev/null; then
    # Most likely no package index yet, as in a fresh container.
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo="sudo -n"
    $sudo apt-get -qq update || true
    apt-get -qq download node-llhttp
fi
dpkg-deb -x node-llhttp_*.deb "$dir"
test -f "$dir/usr/share/llhttp/llhttp.c"
