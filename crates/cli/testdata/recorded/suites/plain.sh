# Every way to give a program something: a pipe, a here-document, files, environment, directories, links, modes, other names.
set -e
here=$PWD
printf 'a\nb\n' | ./prog
./prog <<END
one
END
./prog < prog.c && exit 9
PROG_MODE=x ./prog < /dev/null
mkdir -p data/deep
seq 3 > data/deep/three
ln -s deep/three data/link
chmod 600 data/deep/three
(cd data && ../prog -f deep/three && ../prog -f link && ../prog -f ../data/deep/three)
./prog -f "$here/data/deep/three"
PATH=$here:$PATH
prog -f nowhere && exit 9
cp prog renamed
./renamed -w made
test "$(cat made)" = written
away=$(mktemp -d)
cp prog "$away/other"
seq 4 > "$away/four"
(cd "$away" && ./other -f four)
rm -r "$away"
