//! `stats.sqlite`: how a search went over time, for whoever wants to ask more than the report says.
//!
//! In: counters now and then, differences and further inputs that show them. Out: a database with the tables of the book
//! (`docs/book/results.md`).
//!
//! Always holds: what was added is in the file; a process that is killed leaves a database that can be read.

use crate::diff_view::{DiffStats, DifferenceView};
use rusqlite::{params, Connection};
use std::path::{Path, PathBuf};

const SCHEMA: &str = "
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE progress (
    seconds REAL NOT NULL, runs INTEGER NOT NULL, traces INTEGER NOT NULL, queries INTEGER NOT NULL,
    sat INTEGER NOT NULL, unsat INTEGER NOT NULL, unknown INTEGER NOT NULL, divergences INTEGER NOT NULL,
    escapes INTEGER NOT NULL, concretisations INTEGER NOT NULL, symbolic_branches INTEGER NOT NULL,
    flipped_branches INTEGER NOT NULL, edges_old INTEGER NOT NULL, edges_new INTEGER NOT NULL,
    differences INTEGER NOT NULL);
CREATE TABLE differences (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, class TEXT, cause TEXT, signature TEXT NOT NULL, test TEXT NOT NULL,
    found_after_s REAL NOT NULL, runs_before INTEGER NOT NULL, count INTEGER NOT NULL);
CREATE TABLE inputs (seconds REAL NOT NULL, difference TEXT NOT NULL REFERENCES differences(id));
";

#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {source}", path = .path.display())]
pub struct StatsError {
    path: PathBuf,
    source: rusqlite::Error,
}

/// An open database.
#[derive(Debug)]
pub struct StatsFile {
    path: PathBuf,
    connection: Connection,
}

impl StatsFile {
    /// A fresh database.
    pub fn create(path: &Path) -> Result<StatsFile, StatsError> {
        let failed = |source| StatsError { path: path.to_owned(), source };
        let connection = Connection::open(path).map_err(failed)?;
        // A crash of the machine may lose statistics; waiting for the disk would cost the search more.
        connection.execute_batch("PRAGMA synchronous = OFF;").map_err(failed)?;
        connection.execute_batch(SCHEMA).map_err(failed)?;
        Ok(StatsFile { path: path.to_owned(), connection })
    }

    fn done(&self, result: rusqlite::Result<usize>) -> Result<(), StatsError> {
        result.map(drop).map_err(|source| StatsError { path: self.path.clone(), source })
    }

    /// Something about the run as a whole.
    pub fn describe(&self, name: &str, value: &str) -> Result<(), StatsError> {
        let sql = "INSERT OR REPLACE INTO run VALUES (?1, ?2)";
        self.done(self.connection.execute(sql, params![name, value]))
    }

    /// The counters at this moment.
    pub fn progress(&self, stats: &DiffStats, differences: usize) -> Result<(), StatsError> {
        let n = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let sql = "INSERT INTO progress VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)";
        self.done(self.connection.execute(
            sql,
            params![
                stats.seconds,
                n(stats.runs),
                n(stats.traces),
                n(stats.queries),
                n(stats.sat),
                n(stats.unsat),
                n(stats.unknown),
                n(stats.divergences),
                n(stats.escapes),
                n(stats.concretisations),
                n(stats.symbolic_branches),
                n(stats.flipped_branches),
                n(stats.edges_old),
                n(stats.edges_new),
                n(differences as u64),
            ],
        ))
    }

    /// A difference, or what is known about it by now.
    pub fn difference(&self, view: &DifferenceView) -> Result<(), StatsError> {
        let sql = "INSERT OR REPLACE INTO differences VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)";
        self.done(self.connection.execute(
            sql,
            params![
                view.id,
                view.kind,
                view.class,
                view.cause,
                view.signature,
                view.test,
                view.found_after_s,
                i64::try_from(view.runs_before).unwrap_or(i64::MAX),
                i64::try_from(view.count).unwrap_or(i64::MAX),
            ],
        ))
    }

    /// A difference has another name from now on.
    pub fn rename(&self, before: &str, after: &str) -> Result<(), StatsError> {
        // Neither of the two can come first, unless what refers to what is checked at the end of both.
        let sql = "BEGIN; PRAGMA defer_foreign_keys = ON;";
        self.done(self.connection.execute_batch(sql).map(|()| 0))?;
        for sql in [
            "UPDATE differences SET id = ?2 WHERE id = ?1",
            "UPDATE inputs SET difference = ?2 WHERE difference = ?1",
        ] {
            self.done(self.connection.execute(sql, params![before, after]))?;
        }
        self.done(self.connection.execute_batch("COMMIT;").map(|()| 0))
    }

    /// A difference turned out to be another one.
    pub fn merge(&self, copy: &str, original: &str) -> Result<(), StatsError> {
        let sql = "UPDATE inputs SET difference = ?2 WHERE difference = ?1";
        self.done(self.connection.execute(sql, params![copy, original]))?;
        self.remove(copy)
    }

    /// A difference is none any more.
    pub fn remove(&self, id: &str) -> Result<(), StatsError> {
        for sql in ["DELETE FROM inputs WHERE difference = ?1", "DELETE FROM differences WHERE id = ?1"] {
            self.done(self.connection.execute(sql, params![id]))?;
        }
        Ok(())
    }

    /// One input on which a difference was seen.
    pub fn input(&self, seconds: f64, difference: &str) -> Result<(), StatsError> {
        let sql = "INSERT INTO inputs VALUES (?1, ?2)";
        self.done(self.connection.execute(sql, params![seconds, difference]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_can_be_asked_for() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("stats.sqlite");
        let file = StatsFile::create(&path).unwrap();
        file.describe("seed", "1").unwrap();
        let stats = DiffStats { runs: 7, seconds: 0.5, ..DiffStats::default() };
        file.progress(&stats, 1).unwrap();
        let mut view =
            DifferenceView { id: "1-exit".into(), kind: "exit".into(), ..DifferenceView::default() };
        file.difference(&view).unwrap();
        file.input(0.25, "1-exit").unwrap();
        view.count = 12;
        file.difference(&view).unwrap();
        // Another connection: it is on disk already.
        let reader = Connection::open(&path).unwrap();
        let ask = |sql: &str| reader.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(ask("SELECT count FROM differences JOIN inputs ON id = difference"), 12);
        assert_eq!(ask("SELECT runs FROM progress WHERE seconds < 1 AND differences = 1"), 7);
        file.rename("1-exit", "2-exit").unwrap();
        assert_eq!(
            ask("SELECT COUNT(*) FROM differences JOIN inputs ON id = difference WHERE id = '2-exit'"),
            1
        );
        file.difference(&DifferenceView { id: "3-exit".into(), kind: "exit".into(), ..view.clone() })
            .unwrap();
        file.input(0.5, "3-exit").unwrap();
        file.merge("3-exit", "2-exit").unwrap();
        assert_eq!(ask("SELECT COUNT(*) FROM inputs WHERE difference = '2-exit'"), 2);
        assert_eq!(ask("SELECT COUNT(*) FROM differences"), 1);
        assert_eq!(ask("SELECT CAST(value AS INTEGER) FROM run WHERE name = 'seed'"), 1);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_named() {
        let error = StatsFile::create(Path::new("nowhere/at/all.sqlite")).unwrap_err();
        assert!(error.to_string().contains("nowhere/at/all.sqlite"), "{error}");
    }
}
