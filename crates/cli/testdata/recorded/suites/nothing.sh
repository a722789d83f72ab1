# Never starts the program.
ls > /dev/null
