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
apt-get download node-llhttp >/dev/null
dpkg-deb -x node-llhttp_*.deb "$dir"
test -f "$dir/usr/share/llhttp/llhttp.c"
