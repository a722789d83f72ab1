#!/bin/bash
# Installs the Debian packages that Parallax needs. Does nothing if all are installed.
# Needs root, or sudo. With --bench also what benchmarks compare Parallax with, and a formatter.
set -euo pipefail

packages=(clang-19 libclang-rt-19-dev llvm-19 llvm-19-dev lld-19 libz3-dev z3 binutils git patch make gcc g++ libc6-dev pkg-config cmake meson ninja-build libtool libtool-bin)
if [ "${1:-}" = --bench ]; then
    packages+=(afl++ clang-format-19)
fi

missing=()
for package in "${packages[@]}"; do
    if [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        missing+=("$package")
    fi
done
if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup: these packages are missing: ${missing[*]}" >&2
        echo "setup: run this as root, or install sudo" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "setup: installing ${missing[*]}" >&2
install() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}
# The package lists of a fresh machine are empty, those of an old one out of date.
if ! install >&2; then
    "${as_root[@]}" apt-get update >&2
    install >&2
fi
