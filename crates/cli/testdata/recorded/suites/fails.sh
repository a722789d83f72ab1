# Fails halfway.
set -e
echo 1 | ./prog
echo "this is why" >&2
exit 3
