# Deletes what the program was given, the directory in which it ran, and the program.
set -e
mkdir gone
(cd gone && seq 5 > five && ../prog -f five && rm five)
rmdir gone
rm prog
