touch aclocal.m4 && sleep 1 && find . -name Makefile.in -o -name config.h.in | xargs touch && touch configure bc/bc.c bc/scan.c &&
./configure CFLAGS='-g -O2 -Wno-implicit-function-declaration -Wno-implicit-int' --without-readline --without-libedit && make -j2 -C lib && make -j2 -C bc bc
