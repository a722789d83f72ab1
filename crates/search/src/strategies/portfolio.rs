//! The portfolio: all strategies, what share of the effort each has at first, and which of them are switched on.

use super::*;

/// What part of each kind of work a strategy has at first, compared with the others; 0: it never has any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weights {
    /// Questions to the solver, counted by what they cost.
    pub questions: u32,
    /// Test cases that are traced.
    pub traces: u32,
    /// Test cases of which only the coverage is looked at.
    pub glimpses: u32,
}

pub struct Entry {
    pub strategy: Box<dyn Strategy>,
    pub weights: Weights,
}

/// The strategies of a search, in the order in which they are told what happens.
pub struct Portfolio {
    pub entries: Vec<Entry>,
}

/// Which strategies are switched on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Only these, if there are any.
    pub only: Vec<String>,
    pub without: Vec<String>,
}

/// A name that no strategy has, or a choice that leaves none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownStrategy {
    NoSuchName(String),
    NoneLeft,
}

/// Baselines of the papers, as sets of strategies.
pub const BASELINES: [(&str, &[&str]); 2] =
    [("generational", &["generational"]), ("express", &["generational", "distance"])];

impl Choice {
    fn has(&self, name: &str) -> bool {
        let is = |list: &[String]| list.iter().any(|n| n == name);
        (self.only.is_empty() || is(&self.only)) && !is(&self.without)
    }
}

impl Portfolio {
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.strategy.about().name == name)
    }

    pub fn name(&self, id: StrategyId) -> &'static str {
        self.entries[id.0].strategy.about().name
    }

    /// Switches a strategy off, unless it is the only one.
    pub fn leave_out(&mut self, name: &str) {
        if self.entries.len() > 1 {
            self.entries.retain(|entry| entry.strategy.about().name != name);
        }
    }

    pub fn ids(&self) -> impl Iterator<Item = StrategyId> {
        (0..self.entries.len()).map(StrategyId)
    }
}

/// All strategies that there are, with those switched off left out.
pub fn standard_portfolio(choice: &Choice) -> Result<Portfolio, UnknownStrategy> {
    let mut entries = all();
    let is_known = |name: &&String| entries.iter().any(|entry| entry.strategy.about().name == **name);
    if let Some(name) = choice.only.iter().chain(&choice.without).find(|name| !is_known(name)) {
        return Err(UnknownStrategy::NoSuchName(name.clone()));
    }
    entries.retain(|entry| choice.has(entry.strategy.about().name));
    match entries.is_empty() {
        true => Err(UnknownStrategy::NoneLeft),
        false => Ok(Portfolio { entries }),
    }
}

fn all() -> Vec<Entry> {
    let asks = |questions| Weights { questions, ..Weights::default() };
    let tries = |traces, glimpses| Weights { traces, glimpses, ..Weights::default() };
    let nothing = Weights::default();
    let entry = |strategy: Box<dyn Strategy>, weights| Entry { strategy, weights };
    vec![
        entry(Box::<words::Words>::default(), tries(1, 2)),
        entry(Box::new(options::Options), tries(0, 4)),
        entry(Box::new(structure::Structure), tries(2, 2)),
        entry(Box::new(repeat::Repeat), tries(1, 1)),
        entry(Box::new(cross::Cross), tries(1, 1)),
        entry(Box::<combine::Combine>::default(), tries(0, 4)),
        entry(Box::<sequences::Sequences>::default(), tries(0, 2)),
        entry(Box::new(havoc::Havoc), tries(0, 2)),
        entry(Box::<joint::Joint>::default(), asks(2)),
        entry(Box::<infect::Infect>::default(), asks(1)),
        entry(Box::<propagate::Propagate>::default(), asks(1)),
        entry(Box::new(generational::Generational), asks(2)),
        entry(Box::new(newest::Newest), asks(2)),
        entry(Box::<tree::Tree>::default(), asks(2)),
        entry(Box::new(follow::Follow), asks(24)),
        entry(Box::<relax::Relax>::default(), asks(24)),
        entry(Box::new(callees::Callees), asks(2)),
        entry(Box::new(regenerate::Regenerate), asks(1)),
        entry(Box::<definitions::Definitions>::default(), Weights { questions: 16, traces: 40, glimpses: 0 }),
        entry(Box::<insert::Insert>::default(), tries(2, 0)),
        entry(Box::new(hybrid::Hybrid), tries(20, 0)),
        entry(Box::new(numbers::Numbers), asks(1)),
        entry(Box::new(distance::Distance), nothing),
        entry(Box::<evolve::Evolve>::default(), tries(2, 0)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[&str], without: &[&str]) -> Result<Vec<&'static str>, UnknownStrategy> {
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let portfolio = standard_portfolio(&Choice { only: list(only), without: list(without) })?;
        Ok(portfolio.entries.iter().map(|entry| entry.strategy.about().name).collect())
    }

    #[test]
    fn strategies_can_be_chosen_and_left_out_by_name() {
        assert_eq!(chosen(&["havoc", "joint"], &[]).unwrap(), ["havoc", "joint"]);
        assert_eq!(chosen(&["havoc", "joint"], &["havoc"]).unwrap(), ["joint"]);
        assert!(!chosen(&[], &["tree"]).unwrap().contains(&"tree"));
        assert_eq!(chosen(&["luck"], &[]), Err(UnknownStrategy::NoSuchName("luck".into())));
        assert_eq!(chosen(&["tree"], &["tree"]), Err(UnknownStrategy::NoneLeft));
    }

    #[test]
    fn names_are_words_and_each_is_there_once() {
        let names = chosen(&[], &[]).unwrap();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len());
        assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase())));
        for (_, members) in BASELINES {
            assert!(members.iter().all(|member| names.contains(member)));
        }
    }
}
