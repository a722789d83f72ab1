//! What hid a part of the program from the search.
//!
//! In: what was lost in all traces, and the code that no trace shows. Out: reasons, in words, why "nothing was left to try" cannot be said.
//!
//! Always holds: an empty list means that every trace was whole and followed all that it was given, and that there is no code that no trace shows.

use crate::losses::Losses;
use parallax_report::diff_view::LostView;
use parallax_report::text::count;
use parallax_trace::format::*;

/// What flags of a trace mean for the search.
const FLAGS: [(u32, &str); 5] = [
    (FLAG_THREADS, "threads were started: what they compute is not followed"),
    (FLAG_FORKED, "processes were started: what they compute is not followed"),
    (
        FLAG_NODES_FULL,
        "traces were cut: no room for more expressions (--trace-nodes, or a sixteenth of --own-memory)",
    ),
    (
        FLAG_EVENTS_FULL,
        "traces were cut: no room for more events (--trace-events, or a sixteenth of --own-memory)",
    ),
    (
        FLAG_TABLES_FULL,
        "traces were cut: no room for more tables (--trace-tables, or a sixteenth of --own-memory)",
    ),
];

/// What hid parts of whole runs.
pub fn of_runs(losses: &Losses) -> Vec<String> {
    let flags = FLAGS.iter().filter(|(flag, _)| losses.flags & flag != 0);
    let mut reasons: Vec<String> = flags.map(|(_, words)| (*words).to_owned()).collect();
    if losses.without_room > 0 {
        let traces = count(losses.without_room, "trace was", "traces were");
        reasons.push(format!("{traces} not looked at, for want of memory (--own-memory)"));
    }
    if losses.stale > 0 {
        let bytes = count(losses.stale, "byte", "bytes");
        reasons.push(format!("code without instrumentation changed {bytes} that depend on the input"));
    }
    if losses.unreadable > 0 {
        let traces = count(losses.unreadable, "trace", "traces");
        reasons.push(format!(
            "{traces} could not be read: the program writes over what its instrumentation keeps, so what it did there is not known"
        ));
    }
    if losses.astray > 0 {
        let inputs = count(losses.compared, "input", "inputs");
        reasons.push(format!(
            "on {} of {inputs} that native and symbolic builds were both run on, a symbolic build did not do what the native program \
             does; the search follows the symbolic builds",
            losses.astray
        ));
    }
    reasons
}

/// The same, the code that no trace shows, and the places where input was lost.
fn all(losses: &Losses, unseen: Option<String>, lost: &[LostView]) -> Vec<String> {
    let mut reasons = of_runs(losses);
    reasons.extend(unseen);
    if let Some(most) = lost.first() {
        let places = count(lost.len() as u64, "place", "places");
        reasons.push(format!("input was lost at {places}, most often at {} ({})", most.place, most.what()));
    }
    reasons
}

/// Why a search that found nothing more to ask or to try ended.
pub fn exhausted(losses: &Losses, unseen: Option<String>, lost: &[LostView]) -> String {
    let reasons = all(losses, unseen, lost);
    match reasons.is_empty() {
        true => "nothing was left to try".to_owned(),
        false => format!(
            "what can be seen of the program gave nothing more to try; hidden is the rest: {}",
            reasons.join("; ")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_left_is_only_said_where_nothing_was_hidden() {
        let mut losses = Losses::default();
        assert_eq!(exhausted(&losses, None, &[]), "nothing was left to try");
        let lost = LostView {
            version: "old".into(),
            place: "a.c:3:1".into(),
            callee: Some("crypt".into()),
            reason: String::new(),
            count: 2,
        };
        let text = exhausted(&losses, None, &[lost]);
        assert!(!text.contains("nothing was left") && text.contains("a.c:3:1 (call of crypt)"), "{text}");
        let text = exhausted(&losses, Some("v.s has no bitcode".into()), &[]);
        assert!(!text.contains("nothing was left") && text.contains("v.s"), "{text}");
        losses.flags = FLAG_THREADS | FLAG_FINISHED;
        let text = exhausted(&losses, None, &[]);
        assert!(!text.contains("nothing was left") && text.contains("threads"), "{text}");
        let mut losses = Losses::default();
        (losses.unreadable, losses.compared, losses.astray) = (2, 7, 3);
        let text = exhausted(&losses, None, &[]);
        assert!(text.contains("2 traces could not be read") && text.contains("on 3 of 7 inputs"), "{text}");
    }
}
