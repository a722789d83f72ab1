//! `distance`: how many branches every block is away from changed code ([`crate::guide`]), in the scores of flips and the choice of what is
//! changed at random (the greedy step of Marinescu and Cadar 2013; branches that cannot lead to the change as in Taneja et al. 2011).
//!
//! Departs from both in never leaving a branch out: one that cannot lead to the change is asked last.

use super::{About, Strategy};

pub struct Distance;

impl Strategy for Distance {
    fn about(&self) -> About {
        About {
            name: "distance",
            summary: "Prefers what leads nearer to the change, counted in branches.",
            paper: "Marinescu and Cadar 2013; Taneja, Xie, Tillmann and de Halleux 2011",
        }
    }
}
