/* Runs the Lua program on standard input, with the libraries that neither open files nor read the clock. */
#include <stdio.h>
#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

int main(void)
{
    char program[4096];
    size_t length = fread(program, 1, sizeof program, stdin);
    lua_State *state = luaL_newstate();
    luaL_requiref(state, "_G", luaopen_base, 1);
    luaL_requiref(state, "string", luaopen_string, 1);
    luaL_requiref(state, "table", luaopen_table, 1);
    luaL_requiref(state, "math", luaopen_math, 1);
    luaL_requiref(state, "utf8", luaopen_utf8, 1);
    if (luaL_loadbuffer(state, program, length, "=stdin") || lua_pcall(state, 0, 0, 0)) {
        fprintf(stderr, "lua: %s\n", lua_tostring(state, -1));
        return 1;
    }
    lua_close(state);
    return 0;
}
