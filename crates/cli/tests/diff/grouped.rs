//! A thousand inputs with one cause are one entry with a count.

use super::*;

#[test]
fn many_inputs_with_one_cause_are_one_entry_with_a_count() {
    let compared = compare("many", &["--runs", "60", "--time", "20s"]);
    let json = compared.json(1);
    assert_eq!(json["differences"].as_array().unwrap().len(), 1, "{json:#}");
    assert!(json["differences"][0]["count"].as_u64().unwrap() > 1, "{json:#}");
}

/// What is printed differs from input to input, and is made of the program's own words.
#[test]
fn a_cause_is_one_entry_whatever_the_words_it_shows_in_and_two_causes_are_two() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("seeds")).unwrap();
    for c in "abcdefgh!".chars() {
        std::fs::write(directory.path().join(format!("seeds/{c}")), c.to_string()).unwrap();
    }
    let args = ["--seeds", "seeds", "--runs", "60", "--time", "20s"];
    let output = compare_in(directory.path(), "causes", &args);
    let compared = Compared { directory, output };
    let json = compared.json(1);
    let entries: std::collections::BTreeMap<&str, u64> = json["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| (d["cause"].as_str().unwrap(), d["count"].as_u64().unwrap()))
        .collect();
    assert_eq!(entries.keys().copied().collect::<Vec<_>>(), ["new.c:18", "new.c:8"], "{json:#}");
    assert!(entries["new.c:8"] >= 8, "{entries:?}");
}

/// The kept test and every file of the result agree on the number of inputs.
#[test]
fn counts_agree_between_the_forms_of_the_result() {
    let compared = compare("many", &["--runs", "60", "--time", "20s"]);
    let count = compared.json(1)["differences"][0]["count"].as_u64().unwrap();
    let read = |name: &str| std::fs::read_to_string(compared.path("parallax-out").join(name)).unwrap();
    assert!(read("report.sarif").contains(&format!("seen on {count} inputs")));
    assert!(read("report.html").contains(&format!("seen on {count} inputs")));
    let database = rusqlite::Connection::open(compared.path("parallax-out/stats.sqlite")).unwrap();
    let ask = |sql: &str| database.query_row(sql, [], |row| row.get::<_, u64>(0)).unwrap();
    assert_eq!(ask("SELECT count FROM differences"), count);
    assert_eq!(ask("SELECT COUNT(*) FROM inputs"), count);
    let runs = compared.file("verdicts.json")["stats"]["runs"].as_u64().unwrap();
    assert_eq!(ask("SELECT MAX(runs) FROM progress"), runs);
}
