touch aclocal.m4 && sleep 1 && find . -name Makefile.in -o -name config.hin | xargs touch && touch configure &&
./configure --disable-nls && make -j2 -C lib && make -j2 -C src diff cmp
