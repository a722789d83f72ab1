# The program reads one line of a pipe; the next program has to find the rest.
set -e
printf 'one\ntwo\nthree\n' | (./prog -1; ./prog -1; test "$(cat)" = three)
