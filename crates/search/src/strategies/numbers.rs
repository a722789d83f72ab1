//! `numbers`: numbers in the place of their digits, so that an answer may have more or fewer of them ([`crate::numbers`]).
//!
//! More digits are more conditions, so that the run may not go where the number says: then the question is put again about bytes.

use super::{About, Proposals, Strategy};
use crate::goal::{Asking, Flip};

pub struct Numbers;

impl Strategy for Numbers {
    fn about(&self) -> About {
        About {
            name: "numbers",
            summary: "Asks about numbers in the place of their digits, so that an answer may have more or fewer of them.",
            paper: "Parallax",
        }
    }

    fn diverged(&mut self, flip: &Flip, over_numbers: bool, out: &mut Proposals) {
        if over_numbers {
            out.offer(Flip { how: Asking { exact: true, ..flip.how.clone() }, ..flip.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::laboratory::{self, Laboratory};
    use super::*;

    #[test]
    fn what_led_elsewhere_over_numbers_is_asked_again_about_bytes() {
        let mut lab = Laboratory::new();
        let steps = [lab.step(1, 0, b'7', true)];
        let run = lab.run("7", &steps);
        let flip = lab.flips(&run).remove(0);
        let asked = |over_numbers| {
            let mut out = Proposals::default();
            Numbers.diverged(&flip, over_numbers, &mut out);
            laboratory::flips(out.list)
        };
        assert!(asked(true)[0].how.exact && asked(false).is_empty());
    }
}
