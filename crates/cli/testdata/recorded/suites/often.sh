# Runs the program many times, mostly on the same input.
i=0
while test $i -lt 300; do
    echo same | ./prog
    i=$((i + 1))
done
echo last | ./prog -1
