#!/bin/sh
# Fetches and unpacks the source packages PKG... of the Debian release that this machine runs.
#
#   scripts/fetch-debian-sources.sh PKG...
#
# Trees land in $PARALLAX_SUBJECTS/src/PKG (default: below the cache directory). The deb-src
# entries are derived from apt's own configuration and kept in a private one beside the trees:
# the system's apt sources are not touched, and root is not needed.
set -eu

[ $# -gt 0 ] || { echo "usage: $0 PKG..." >&2; exit 2; }
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

private_apt() {
    tool=$1
    shift
    "$tool" -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts="$apt/parts" \
        -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "$@"
}

# An archive can list a version whose files it no longer has: the versions are tried from the newest.
download() {
    versions=$(private_apt apt-cache showsrc --only-source "$1" | sed -n 's/^Version: //p' | sort -ruV)
    [ -n "$versions" ] || { echo "$0: no source package '$1' in this release" >&2; return 1; }
    for version in $versions; do
        rm -rf "$subjects/download/$1"
        mkdir -p "$subjects/download/$1"
        (cd "$subjects/download/$1" && private_apt apt-get source --download-only "$1=$version") && return
    done
    return 1
}

private_apt apt-get update
for package; do
    tree=$subjects/src/$package
    if [ -d "$tree" ]; then
        echo "$package: already in $tree"
        continue
    fi
    download "$package"
    # Unpacked one level down because dpkg-source leaves a copy of the tarball beside the tree.
    rm -rf "$tree.tmp"
    mkdir "$tree.tmp"
    dpkg-source --no-check -x "$subjects/download/$package"/*.dsc "$tree.tmp/tree"
    mv "$tree.tmp/tree" "$tree"
    rm -rf "$tree.tmp"
    echo "$package: $tree"
done
