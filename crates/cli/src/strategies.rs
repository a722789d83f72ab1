//! `parallax strategies`, and the choice of strategies on a command line.

use crate::diff_args::{DiffFormat, Strategy, StrategyArgs};
use crate::error::CliError;
use parallax_search::{all_strategies, check_choice, About, Choice, UnknownStrategy, BASELINES};
use serde_json::json;
use std::fmt::Write;

/// Which strategies a command line switches on.
pub fn choice(args: &StrategyArgs) -> Choice {
    let baseline = |name: &str| {
        let found = BASELINES.iter().find(|(baseline, _)| *baseline == name);
        found.map_or_else(Vec::new, |(_, members)| members.iter().map(|m| (*m).to_owned()).collect())
    };
    let (mut only, off) = match args.strategy {
        Strategy::All => (vec![], &[][..]),
        Strategy::Generational => (baseline("generational"), &[][..]),
        Strategy::Express => (baseline("express"), &[][..]),
        Strategy::NoJoint => (vec![], &["joint", "infect", "propagate"][..]),
        Strategy::NoNumbers => (vec![], &["numbers"][..]),
    };
    only.extend(args.only.iter().cloned());
    let without = args.without.iter().cloned().chain(off.iter().map(|name| (*name).to_owned())).collect();
    Choice { only, without }
}

/// Says at once whether the names of a command line are right.
pub fn check(args: &StrategyArgs) -> Result<(), CliError> {
    check_choice(&choice(args)).map_err(unknown)
}

pub fn unknown(error: UnknownStrategy) -> CliError {
    CliError::Usage(match error {
        UnknownStrategy::NoSuchName(name) => {
            let names: Vec<&str> = all_strategies().iter().map(|about| about.name).collect();
            format!("there is no strategy `{name}`; there are: {}", names.join(", "))
        }
        UnknownStrategy::NoneLeft => {
            "all strategies are switched off; name fewer with --without, or others with --only".to_owned()
        }
    })
}

/// The list of all strategies.
pub fn listed(format: DiffFormat) -> String {
    let all = all_strategies();
    match format {
        DiffFormat::Json => {
            let view =
                |about: &About| json!({"name": about.name, "summary": about.summary, "paper": about.paper});
            let list: Vec<_> = all.iter().map(view).collect();
            format!("{:#}\n", json!({ "strategies": list }))
        }
        DiffFormat::Human => all.iter().fold(String::new(), |mut text, about| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:13} {}\n{:13} ({})", about.name, about.summary, "", about.paper);
            text
        }),
    }
}
