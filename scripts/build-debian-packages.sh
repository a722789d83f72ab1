#!/bin/sh
# Builds Debian's source packages, unmodified, with parallax-cc, collects the bitcode of their main
# programs, and compares `make check` with a plain clang build where that is asked for.
#
#   scripts/build-debian-packages.sh [--no-check] [PKG...]
#
# Needs scripts/fetch-debian-sources.sh to have run, and the release build of Parallax (or
# PARALLAX_CC and PARALLAX_COLLECT naming the wrapper and the `collect` example). Trees are built in
# $PARALLAX_SUBJECTS/{parallax,plain}/PKG; one line a package goes to standard output as a row of a Markdown table.
set -eu

cache=${PARALLAX_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/parallax}
subjects=${PARALLAX_SUBJECTS:-$cache/subjects}
root=$(cd "$(dirname "$0")/.." && pwd)
wrapper=${PARALLAX_CC:-$root/target/release/parallax-cc}
collect=${PARALLAX_COLLECT:-$root/target/release/examples/collect}
plain=${PARALLAX_PLAIN_CC:-clang-19}
jobs=${PARALLAX_JOBS:-$(nproc)}
check=yes
[ "${1:-}" = --no-check ] && { check=no; shift; }
[ $# -gt 0 ] || set -- diffutils grep coreutils sed findutils bc make-dfsg gzip less
# coreutils and others refuse to be configured by root otherwise.
export FORCE_UNSAFE_CONFIGURE=1
export PARALLAX_CACHE="$cache"

programs() {
    case $1 in
    diffutils) echo src/diff src/cmp ;;
    findutils) echo find/find xargs/xargs ;;
    grep) echo src/grep ;;
    sed) echo sed/sed ;;
    coreutils) echo src/cut src/seq src/expr src/tr src/sort src/head src/od src/nl src/paste src/fold ;;
    make-dfsg) echo make ;;
    bc) echo bc/bc dc/dc ;;
    gzip) echo gzip ;;
    less) echo less ;;
    esac
}

# The compiler of native objects. bc's sources call undeclared functions, which is an error to clang and a warning to the gcc
# that Debian uses.
native() {
    case $1 in
    bc) echo gcc ;;
    esac
}

# A tree of its own, because configure and make write into it; times kept, because make looks at them.
build() { # COMPILER PKG TREE
    rm -rf "$3"
    mkdir -p "$(dirname "$3")"
    cp -a "$subjects/src/$2" "$3"
    (
        cd "$3"
        # As debian/rules does, where a patch of Debian's touches what configure is made from.
        if ! [ -x configure ] || grep -qsE '^\+\+\+ .*(\.am|\.ac|\.m4)[[:space:]]*$' debian/patches/*; then
            autoreconf -fi
        fi
        ./configure CC="$1"
        make -j"$jobs"
    ) >"$3.log" 2>&1
}

# Names of the tests that pass, from Automake's log or, for the older suites, from its summary lines.
passing() { # TREE
    (
        cd "$1"
        make -k check || true
    ) >"$1.check.log" 2>&1
    grep -E '^PASS:' "$1.check.log" | sort -u >"$1.passing"
}

for package; do
    start=$(date +%s)
    PARALLAX_NATIVE_CC=$(native "$package")
    export PARALLAX_NATIVE_CC
    if ! build "$wrapper" "$package" "$subjects/parallax/$package"; then
        echo "| $package | **build failed**, see $subjects/parallax/$package.log | | | |"
        continue
    fi
    seconds=$(($(date +%s) - start))
    collected=
    for program in $(programs "$package"); do
        if line=$("$collect" --summary "$subjects/parallax/$package/$program" 2>&1); then
            collected="$collected$(basename "$program"): $line; "
        else
            collected="$collected**$(basename "$program"): $line**; "
        fi
    done
    verdict="not asked for"
    case $package in
    diffutils | grep | sed)
        if [ $check = yes ]; then
            start=$(date +%s)
            build "$plain" "$package" "$subjects/plain/$package"
            plain_seconds=$(($(date +%s) - start))
            passing "$subjects/parallax/$package"
            passing "$subjects/plain/$package"
            count=$(wc -l <"$subjects/plain/$package.passing")
            if cmp -s "$subjects/plain/$package.passing" "$subjects/parallax/$package.passing"; then
                verdict="same $count tests pass"
            else
                verdict="**differ**: $(diff "$subjects/plain/$package.passing" "$subjects/parallax/$package.passing" | grep -c '^[<>]') of $count"
            fi
            seconds="$seconds (plain $plain_seconds)"
        fi
        ;;
    esac
    echo "| $package | $(cd "$subjects/src/$package" && dpkg-parsechangelog -S Version) | $seconds | $collected| $verdict |"
done
