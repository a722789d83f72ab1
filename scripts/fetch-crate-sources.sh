#!/bin/sh
# Fetches the sources of crates, for the C libraries that some of them carry.
#
#   scripts/fetch-crate-sources.sh NAME=VERSION...
#
# Trees land in $PARALLAX_SUBJECTS/src/NAME-VERSION (default: below the cache directory). Cargo itself downloads and
# checks them, from the registry it is configured for; each in a package of its own, because cargo does not put two
# versions of one C library into one.
set -eu

[ $# -gt 0 ] || { echo "usage: $0 NAME=VERSION..." >&2; exit 2; }
command -v cargo >/dev/null || { echo "$0: cargo is missing" >&2; exit 2; }

cache=${PARALLAX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/parallax}
subjects=${PARALLAX_SUBJECTS:-$cache/subjects}
mkdir -p "$subjects/src"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for wanted; do
    crate=${wanted%%=*}
    version=${wanted#*=}
    tree=$subjects/src/$crate-$version
    if [ -d "$tree" ]; then
        echo "$crate $version: already in $tree"
        continue
    fi
    package=$scratch/$crate-$version
    mkdir -p "$package/src"
    : >"$package/src/lib.rs"
    printf '[package]\nname = "scratch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n[workspace]\n' \
        "$crate" "$version" >"$package/Cargo.toml"
    (cd "$package" && cargo vendor -q vendor >/dev/null)
    mv "$package/vendor/$crate" "$tree"
    echo "$crate $version: $tree"
done
