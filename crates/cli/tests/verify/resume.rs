//! An interrupted verification goes on where it stopped.

use super::*;

const PROGRAM: &str = "#include <unistd.h>
int main(void) {
    unsigned char in[3];
    int n = 0;
    for (int i = 0; i < 3 && read(0, in + i, 1) == 1; i++)
        n = in[i] > 'm' ? n * 2 + 1 : n * 2;
    return n;
}
";

/// The same, in a way that no compiler sees through.
const REWRITTEN: &str = "#include <unistd.h>
int main(void) {
    unsigned char in[3];
    int n = 0, i = 0;
    while (i < 3) {
        if (read(0, in + i, 1) != 1) break;
        int square = in[i] * in[i];
        n = 2 * n + (square > 109 * 109);
        i++;
    }
    return n;
}
";

#[test]
fn a_resume_of_another_version_is_refused_and_so_is_one_of_nothing() {
    let versions = Versions::new(PROGRAM, REWRITTEN);
    versions.verify(&["--resume"]).refused(&["--resume", "no verification to go on with"]);
    let first = versions.verify(&["--max-input", "1"]).json(0);
    assert_eq!(first["verdict"], "equivalent-within", "{first:#}");
    assert!(first["stats"]["queries"].as_u64().unwrap() > 0, "{first:#}");
    let again = versions.verify(&["--max-input", "1", "--resume"]).json(0);
    assert_eq!(again["resumed"], true);
    assert_eq!(again["partitions"].as_array().unwrap().len(), first["partitions"].as_array().unwrap().len());
    assert_eq!(again["stats"]["queries"], 0, "everything was known: {again:#}");
    versions.verify(&["--max-input", "2", "--resume"]).refused(&["options are others"]);
    fs::write(versions.path().join("new.c"), REWRITTEN.replace("109 *", "110 *")).unwrap();
    versions
        .verify(&["--max-input", "1", "--resume"])
        .refused(&["the new version has changed", "without --resume"]);
}
