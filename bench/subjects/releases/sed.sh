# dpkg-source gives patched files a new time; what is generated from them is in the archive and must not be made again.
touch aclocal.m4 && sleep 1 && find . -name Makefile.in -o -name config_h.in | xargs touch && touch configure &&
./configure CFLAGS='-g -O2 -Wno-incompatible-function-pointer-types' --disable-nls --disable-acl --without-selinux --with-included-regex &&
printf 'include Makefile\nbuilt: $(BUILT_SOURCES)\n' >built.mk && make -j2 -f built.mk built && make -j2 sed/sed
