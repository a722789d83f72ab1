//! The checker of `bench/src/bin/check-model.rs` on the programs of `bench/subjects`: the model excludes nothing that is
//! observed, and a model that excludes something is found out.

use parallax_bench::check::{own_programs, Checked, Claim, Tally};
use parallax_execute::RUNNER_SUBCOMMAND;
use parallax_model::calls::CallGraph;

fn runner() -> Option<Vec<std::ffi::OsString>> {
    Some(vec![env!("CARGO_BIN_EXE_check-model").into(), RUNNER_SUBCOMMAND.into()])
}

#[test]
fn nothing_is_observed_that_the_model_excludes() {
    let mut total = Tally::default();
    for (source, tests) in own_programs() {
        total.add(Checked::file(&source, runner()).unwrap().check(tests).unwrap());
    }
    let promised = [
        (Claim::Edge, 100_000),
        (Claim::Dominator, 1000),
        (Claim::PostDominator, 1000),
        (Claim::Callee, 10),
        (Claim::Entry, 1000),
        (Claim::NoReturn, 1000),
        (Claim::Object, 500),
        (Claim::Field, 500),
        (Claim::Writer, 100),
        (Claim::Slice, 10_000),
    ];
    for (claim, least) in promised {
        let (tested, failed) = total.of(claim);
        assert_eq!(failed, 0, "{claim:?}: {:#?}", total.examples);
        assert!(tested >= least, "{claim:?} was tested {tested} times only");
    }
}

#[test]
fn a_call_graph_that_lacks_callees_is_found_out() {
    let calls_pointers = |p: &std::path::Path| p.file_stem().is_some_and(|n| n == "dispatch");
    let (source, tests) = own_programs().into_iter().find(|(p, _)| calls_pointers(p)).unwrap();
    let mut checked = Checked::file(&source, runner()).unwrap();
    let lacking = CallGraph::new(&checked.model, |_| Vec::new());
    let tally = checked.check_with(Some(lacking), tests).unwrap();
    let (tested, failed) = tally.of(Claim::Callee);
    assert!(tested > 0 && failed == tested, "{tested} {failed}");
}
