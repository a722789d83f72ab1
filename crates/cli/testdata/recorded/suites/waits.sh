# Waits for the end of the world.
echo 1 | ./prog
touch begun
./prog -s
