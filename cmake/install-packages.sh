#!/bin/sh
# Installs what is missing on Debian and Ubuntu, by name, and nothing when nothing is.
#
# usage: install-packages.sh GROUP...      groups: run test aarch64 fuzz
set -eu

# command:package where a program counts as present wherever it comes from; else the package itself.
packages_of() {
    case $1 in
    run)
        echo "cc:gcc libc6-dev cmake:cmake ninja:ninja-build pkg-config:pkg-config libicu-dev
            libstemmer-dev libxxhash-dev libzstd-dev zlib1g-dev liblzma-dev libjansson-dev libuv1-dev"
        # Where it is packaged; cmake/fetch-llhttp.sh unpacks its sources elsewhere.
        if apt-cache show libllhttp-dev >/dev/null 2>&1; then echo libllhttp-dev; fi
        ;;
    test)
        echo "libcriterion-dev python3:python3 c++:g++ git:git setarch:util-linux
            chromium:chromium node:nodejs npm:npm fonts-nanum"
        ;;
    fuzz) echo "clang:clang libclang-rt-dev" ;;
    aarch64) echo "aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user" ;;
    *)
        echo "install-packages.sh: no such group: $1" >&2
        exit 2
        ;;
    esac
}

is_present() {
    package=${1##*:}
    case $1 in
    *:*) command -v "${1%%:*}" >/dev/null 2>&1 && return 0 ;;
    esac
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ]
}

wanted=
for group in "$@"; do
    list=$(packages_of "$group")
    wanted="$wanted $list"
done

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "This is not Debian or Ubuntu: packages are yours to install. Theirs are called:" >&2
    for item in $wanted; do printf ' %s' "${item##*:}" >&2; done
    echo >&2
    exit 0
fi

missing=
for item in $wanted; do
    is_present "$item" || missing="$missing ${item##*:}"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif command -v sudo >/dev/null; then
    sudo=sudo
else
    echo "Missing packages, and neither root nor sudo to install them. As root:" >&2
    echo "    apt-get update && apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "Installing:$missing"
# Waits for another apt; an index that is a little old is no reason to stop.
$sudo apt-get -qq -o DPkg::Lock::Timeout=300 update || true
# shellcheck disable=SC2086
if ! $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 install $missing >/dev/null; then
    echo "apt-get could not install:$missing" >&2
    exit 1
fi
