//! The worked examples of Böhme 2014, each input variable one `signed char`.

use super::*;

/// Figure 2.1.
const FIGURE_2_1: [&str; 2] = [
    "#include <stdio.h>
int main(void) {
    signed char in[2];
    if (fread(in, 1, 2, stdin) != 2) return 0;
    int i = in[0], j = in[1];
    int a = i, b = 0, o = 0;
    if (a > 0) {
        b = j;
        o = 1;
    }
    if (b > 0)
        o = 2;
    printf(\"%d\\n\", o);
    return 0;
}
",
    "#include <stdio.h>
int main(void) {
    signed char in[2];
    if (fread(in, 1, 2, stdin) != 2) return 0;
    int i = in[0], j = in[1];
    int a = i + 1, b = 0, o = 0;
    if (a > 0) {
        b = j + 1;
        o = 1;
    }
    if (b > 0)
        o = o + 1;
    printf(\"%d\\n\", o);
    return 0;
}
",
];

/// The rows of figure 2.13: an input, the outputs of both versions, and how many inputs the row has.
const FIGURE_2_13: [([i8; 2], u8, u8, u64); 6] = [
    ([-1, 0], 0, 0, 128 * 256),
    ([0, -1], 0, 1, 128),
    ([0, 0], 0, 2, 128),
    ([1, -1], 1, 1, 127 * 128),
    ([1, 0], 1, 2, 127),
    ([1, 1], 2, 2, 127 * 127),
];

#[test]
fn figure_2_13_comes_out_as_printed_with_paths() {
    let versions = Versions::new(FIGURE_2_1[0], FIGURE_2_1[1]);
    let verified =
        versions.verify(&["--partitions", "paths", "--min-input", "2", "--max-input", "2", "--certificates"]);
    let json = verified.json(1);
    assert_eq!(json["verdict"], "different", "{json:#}");
    let found = partitions(&json, 2);
    assert_eq!(found.len(), 6, "{json:#}");
    for ([i, j], old, new, inputs) in FIGURE_2_13 {
        let status = if old == new { "equal" } else { "different" };
        let prints = |side: &str, partition: &Value| {
            let channels = partition["outputs"][side].as_array().unwrap();
            channels.iter().find(|c| c["channel"] == "stdout").unwrap()["text"].as_str().unwrap().to_owned()
        };
        let is_row = |partition: &&&Value| {
            partition["status"] == status
                && partition["count"] == inputs
                && prints("old", partition) == format!("\"{old}\\n\"")
                && prints("new", partition) == format!("\"{new}\\n\"")
        };
        assert_eq!(found.iter().filter(is_row).count(), 1, "row of ({i}, {j}): {json:#}");
    }
    let shares = &json["shares"];
    let of = |name: &str| shares[name].as_f64().unwrap();
    assert_eq!(of("equal") + of("different"), 1.0, "{shares}");
    assert_eq!((of("weak"), of("unexplored")), (0.0, 0.0), "{shares}");
    let checked = parallax(versions.path()).arg("check").output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stdout));
}

/// Figure 3.2.
const FIGURE_3_2: &str = "#include <stdio.h>
int main(void) {
    signed char in[1];
    if (fread(in, 1, 1, stdin) != 1) return 0;
    int i = in[0];
    int a = 0, o = 0;
    i = i;
    if (i > 0)
        a++;
    if (a > 0)
        o = i;
    printf(\"%d\\n\", o);
    return 0;
}
";

#[test]
fn figure_3_2_comes_out_as_printed_with_slices_and_paths_agree() {
    let versions = Versions::new(FIGURE_3_2, &FIGURE_3_2.replace("i = i;", "i = i + 1;"));
    let size = ["--min-input", "1", "--max-input", "1", "--certificates"];
    let slices = versions.verify(&[&["--partitions", "slices"], &size[..]].concat()).json(1);
    let found = partitions(&slices, 1);
    // i < 0: the same; i = 0 and i > 0: not, in two ways.
    let mut rows: Vec<(&str, u64)> =
        found.iter().map(|p| (p["status"].as_str().unwrap(), p["count"].as_u64().unwrap())).collect();
    rows.sort();
    assert_eq!(rows, [("different", 1), ("different", 127), ("equal", 128)], "{slices:#}");
    let lines = |partition: &&Value| partition["lines"][0].as_str() == Some("new.c:7");
    assert!(found.iter().all(lines), "every input executes the change: {slices:#}");
    let checked = parallax(versions.path()).arg("check").output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{}", String::from_utf8_lossy(&checked.stdout));
    let paths = versions.verify(&[&["--partitions", "paths"], &size[..]].concat()).json(1);
    assert!(partitions(&paths, 1).len() > 3, "{paths:#}");
    assert_eq!((&paths["verdict"], &paths["shares"]), (&slices["verdict"], &slices["shares"]));
}
