touch aclocal.m4 && sleep 1 && find . -name Makefile.in -o -name config.hin | xargs touch && touch configure &&
./configure --disable-nls && make -j2 -C lib && cd src &&
printf 'include Makefile\nbuilt: $(BUILT_SOURCES)\n' >built.mk && make -f built.mk built && make -j2 diff cmp
