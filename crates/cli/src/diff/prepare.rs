//! What a comparison needs before anything is compared: the versions built, the first test case, what is compared.
//!
//! In: the command line of `parallax diff`. Out: a [`Comparison`], the rules of the oracle, the claim on the output directory, and the clock, which
//! stands still.

use super::{rules, sanitized, Comparison};
use crate::clock::Clock;
use crate::config::Config;
use crate::diff_args::DiffArgs;
use crate::error::CliError;
use crate::loaded::{self, Observed, Tried};
use crate::native::{self, Native};
use crate::natives::Setting;
use crate::reach::Reaching;
use crate::resolve::Inputs;
use crate::seeds::{self, More};
use crate::{check, function, golden, versions};
use parallax_build::Cache;
use parallax_execute::Interrupt;
use parallax_oracle::{Profiler, Rules};
use parallax_report::diff_view::DiffView;
use parallax_report::outdir::{Claim, OutDir};
use std::time::Instant;

/// See the module.
pub struct Prepared<'c> {
    pub comparison: Comparison<'c>,
    pub rules: Rules,
    pub claim: Claim,
    pub clock: Clock,
}

/// `reaching`: what is to be executed, if that is what the comparison is for.
pub fn prepare<'c>(
    args: &'c DiffArgs,
    config: Option<&Config>,
    reaching: Option<&'c Reaching>,
) -> Result<Prepared<'c>, CliError> {
    let interrupt = Interrupt::on_signals();
    check::options(args)?;
    let rules = rules(&args.oracle)?;
    let function = function::options(&args.function)?;
    let mut inputs = Inputs::read(&args.inputs)?;
    let more = More { directory: args.seeds.as_deref(), limits: args.seed_limits, read: args.inputs.read };
    let mut seeds = seeds::seeds(inputs.test_case(), &more, &mut inputs.warnings)?;
    check::seeds(&seeds)?;
    let wanted = versions::wanted(args, config)?;
    check::versions(args, &wanted)?;
    let claim = OutDir::claim(&args.out)?;
    let cache = Cache::from_environment();
    eprintln!("parallax: building {} and {}", wanted[0].name, wanted[1].name);
    let built = versions::build(&wanted, &interrupt, &cache)?;
    let (built, driven) = function::driven(function.as_ref(), built, &mut seeds, &cache)?;
    let golden =
        args.golden.as_ref().map(|name| golden::build(name, &args.build, &interrupt, &cache)).transpose()?;
    let sanitized = sanitized(args, &wanted, &interrupt, &cache)?;
    if let Some(reaching) = reaching {
        reaching.build(&wanted[1], &interrupt, &cache);
    }
    let argv0 = versions::common_name(&built[0].native, &built[1].native);
    let natives = [Native::of(&built[0]), Native::of(&built[1])];
    let homes = native::homes(&natives.iter().chain(&golden).collect::<Vec<_>>());
    let setting = Setting { argv0, homes, unconfined: args.limits.unconfined, interrupt };
    let observed = Observed::default();
    let mut comparison = Comparison {
        args,
        reaching,
        wanted,
        built,
        driven,
        natives,
        golden,
        sanitized,
        observed,
        cache,
        setting,
        inputs,
        seeds,
    };
    let began = Instant::now();
    comparison.observe()?;
    let clock = Clock::new(args.time.saturating_sub(began.elapsed()));
    Ok(Prepared { comparison, rules, claim, clock })
}

impl Comparison<'_> {
    /// Looks at what the versions load, before anything is compared.
    fn observe(&mut self) -> Result<(), CliError> {
        let Some(first) = self.seeds.first() else { return Ok(()) };
        let side = |i: usize| Tried {
            which: versions::WHICH[i],
            name: &self.wanted[i].name,
            native: &self.natives[i],
        };
        let (sides, time) = ([side(0), side(1)], self.args.time);
        self.observed = loaded::observe(&sides, &first.test, &self.limits(), time, &self.setting)?;
        Ok(())
    }

    /// What the oracle has to know of the programs.
    pub fn complete(&self, rules: &mut Rules) -> Result<(), CliError> {
        for version in &self.built {
            let content = std::fs::read(&version.native).map_err(|source| CliError::Read {
                what: "the native program",
                path: version.native.clone(),
                source,
            })?;
            rules.add_program(&version.native, &content);
            native::entry_name(&version.native).into_iter().for_each(|name| rules.add_own_name(name));
            rules.add_tree(&version.source_root);
        }
        rules.add_name(&self.setting.argv0);
        Ok(())
    }

    /// The result before anything is known.
    pub fn view(&self, rules: &Rules) -> DiffView {
        let mut view = DiffView::new(self.versions());
        let cage = crate::cage::warning(&self.setting, &self.built[0].native);
        view.warnings = rules.profilers.iter().map(profile_warning).chain(cage).collect();
        view.warnings.extend(self.observed.warnings.iter().cloned());
        view.warnings.extend(self.astray());
        view.weakened.extend(self.doubts());
        view.symbolic =
            self.seeds.first().map(|seed| seeds::described(&seed.test, self.symbolic())).unwrap_or_default();
        view
    }

    /// What of the programs themselves makes every result weaker.
    pub fn doubts(&self) -> Vec<String> {
        self.observed.warnings.iter().cloned().chain(self.astray()).collect()
    }
}

fn profile_warning(profiler: &Profiler) -> String {
    format!("the program is built for profiling; files that end in {} are not compared", profiler.writes)
}
