//! Tests for CTest: a file to include in a `CMakeLists.txt`.
//!
//! Always holds: the script of the tests is in the file, and written to the build directory when CMake runs; no bracket in it ends the argument that holds it.

use super::{shell, Exported};

pub fn file(tests: &[Exported], program: &str) -> String {
    let script = shell::script(tests);
    // A bracket argument of CMake ends with as many equals signs as it began with.
    let mut level = String::from("=");
    while script.contains(&format!("]{level}]")) {
        level.push('=');
    }
    let mut text = format!(
        "# Tests that Parallax kept, for the target {program}. Usage: enable_testing(), then include(FILE)\n\
         file(WRITE \"${{CMAKE_CURRENT_BINARY_DIR}}/parallax-tests.sh\" [{level}[{script}]{level}])\n"
    );
    for test in tests {
        let name = shell::function(&test.name);
        text.push_str(&format!(
            "add_test(NAME parallax-{} COMMAND sh \"${{CMAKE_CURRENT_BINARY_DIR}}/parallax-tests.sh\" \"$<TARGET_FILE:{program}>\" {name})\n",
            test.name
        ));
    }
    text
}
