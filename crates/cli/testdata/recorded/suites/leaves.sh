# Leaves processes behind: one of the program, and one in a session of its own.
echo 1 | ./prog
./prog -s &
setsid sleep 600 &
sleep 0.2
