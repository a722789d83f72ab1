#!/bin/sh
# Fetches and unpacks source packages of the Debian release that this machine runs, or of another one.
#
#   scripts/fetch-debian-sources.sh PKG[/RELEASE]...
#
# Trees land in $PARALLAX_SUBJECTS/src/PKG, or PKG-RELEASE (default: below the cache directory). The deb-src
# entries are derived from apt's own configuration and kept in a private one beside the trees:
# the system's apt sources are not touched, and root is not needed.
set -eu

[ $# -gt 0 ] || { echo "usage: $0 PKG[/RELEASE]..." >&2; exit 2; }
for tool in apt-get dpkg-source; do
    command -v $tool >/dev/null || { echo "$0: $tool is missing: apt-get install apt dpkg-dev" >&2; exit 2; }
done

cache=${PARALLAX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/parallax}
subjects=${PARALLAX_SUBJECTS:-$cache/subjects}
apt=$subjects/apt
mkdir -p "$subjects/src" "$subjects/download" "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"

# One deb-src line for every Debian archive from which this machine already takes binary packages.
# In the order of apt: of two archives that list the same version, the first one is asked.
apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 'Origin: Debian' | awk '!seen[$0]++' >"$apt/sources.list"
if ! [ -s "$apt/sources.list" ]; then
    echo "$0: apt knows no Debian archive; run 'apt-get update' first" >&2
    exit 1
fi

# Another release is asked for in the archive from which this machine takes its own.
archive=$(awk 'NR == 1 { print $2 }' "$apt/sources.list")
for wanted; do
    case $wanted in
    */*) echo "deb-src $archive ${wanted#*/} main" ;;
    esac
done | sort -u >>"$apt/sources.list"

private_apt() {
    tool=$1
    shift
    "$tool" -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts="$apt/parts" \
        -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "$@"
}

# The versions of a package in the release of this machine, or in the one named, newest first.
versions() { # PKG [RELEASE]
    own=$(awk 'NR == 1 { print $3 }' "$apt/sources.list")
    private_apt apt-get indextargets --format '$(RELEASE) $(FILENAME)' 'Created-By: Sources' |
        awk -v release="${2:-$own}" '$1 == release || index($1, release "-") == 1 { print $2 }' |
        while read -r index; do
            /usr/lib/apt/apt-helper cat-file "$index" |
                awk -v package="$1" '/^Package: / { here = $2 == package } here && /^Version: / { print $2 }'
        done | sort -ruV
}

# An archive can list a version whose files it no longer has: the versions are tried from the newest. A detached
# signature that is missing does not matter: apt has compared the other files with its signed index.
download() { # NAME PKG [RELEASE]
    name=$1
    package=$2
    shift
    found=$(versions "$@")
    [ -n "$found" ] || { echo "$0: no source package '$*'" >&2; return 1; }
    for version in $found; do
        rm -rf "$subjects/download/$name"
        mkdir -p "$subjects/download/$name"
        (cd "$subjects/download/$name" && private_apt apt-get source --download-only "$package=$version") || true
        unpack "$name" && return
    done
    return 1
}

# Unpacked one level down because dpkg-source leaves a copy of the tarball beside the tree. Where only the upstream
# tarball is to be had, the tree is the release as its authors made it.
unpack() { # NAME
    tree=$subjects/src/$1
    rm -rf "$tree.tmp"
    mkdir "$tree.tmp"
    if ! dpkg-source --no-check -x "$subjects/download/$1"/*.dsc "$tree.tmp/tree"; then
        rm -rf "$tree.tmp/tree"
        mkdir "$tree.tmp/tree"
        tar -xf "$subjects/download/$1"/*.orig.tar.?z -C "$tree.tmp/tree" --strip-components=1 || return 1
        echo "$1: the upstream release, without Debian's changes"
    fi
    mv "$tree.tmp/tree" "$tree"
    rm -rf "$tree.tmp"
}

private_apt apt-get update
for wanted; do
    package=${wanted%/*}
    release=
    case $wanted in
    */*) release=${wanted#*/} ;;
    esac
    name=$package${release:+-$release}
    if [ -d "$subjects/src/$name" ]; then
        echo "$name: already in $subjects/src/$name"
        continue
    fi
    download "$name" "$package" $release
    echo "$name: $subjects/src/$name"
done
