//! Are two values the same, seen from inside the programs?
//!
//! In: the two versions as they stand, a value of each. Out: yes or no, and objects that turn out to be the same one.
//!
//! Numbers are compared as they are. Addresses are compared as object and offset; two objects are the same if the matched instance made them
//! (they are linked then), or if neither has a partner yet and both are met at the same place (then they are linked here). Values that the recorder does not know
//! are taken for the same: what is made of them is compared again.

use crate::memory::{ObjectId, What};
use crate::pairing::Pairing;
use crate::side::Side;
use crate::{NEW, OLD};
use parallax_model::{GlobalId, Operand, Program};

/// Both versions as they stand.
pub struct Sides<'p>(pub [Side<'p>; 2]);

impl Sides<'_> {
    /// Of two operands in the newest activations.
    pub fn same_operand(&mut self, pairing: &Pairing, old: Operand, new: Operand) -> bool {
        match (old, new) {
            (Operand::Func(f), Operand::Func(g)) => pairing.function_partner(OLD, f) == Some(g),
            (Operand::Global(g), Operand::Global(h)) => self.same_global(pairing, g, h),
            _ => {
                let values = [self.0[OLD].value(old), self.0[NEW].value(new)];
                let pointer = self.0[OLD].is_pointer(old) && self.0[NEW].is_pointer(new);
                self.same(pairing, values, pointer)
            }
        }
    }

    fn same_global(&mut self, pairing: &Pairing, old: GlobalId, new: GlobalId) -> bool {
        match pairing.global_partner(old) {
            Some(partner) => partner == new,
            None => same_content(pairing.programs, old, new),
        }
    }

    /// Of two values of which both are pointers, or neither is known to be one.
    pub fn same(&mut self, pairing: &Pairing, values: [Option<u64>; 2], pointer: bool) -> bool {
        let [Some(old), Some(new)] = values else { return true };
        if !pointer && old == new {
            return true;
        }
        if pointer && (old == 0 || new == 0) {
            return old == new;
        }
        if self.same_address(pairing, old, new) {
            return true;
        }
        // One past the end of an object is no address of it.
        if pointer && self.same_address(pairing, old.wrapping_sub(1), new.wrapping_sub(1)) {
            return true;
        }
        let [a, b] = [self.0[OLD].memory.object(old), self.0[NEW].memory.object(new)];
        // Objects of libc, and code: nothing is known of either.
        pointer && a.is_none() && b.is_none()
    }

    fn same_address(&mut self, pairing: &Pairing, old: u64, new: u64) -> bool {
        let (Some((a, x)), Some((b, y))) = (self.0[OLD].memory.object(old), self.0[NEW].memory.object(new))
        else {
            return false;
        };
        x == y && self.same_object(pairing, a, b)
    }

    pub fn same_object(&mut self, pairing: &Pairing, old: ObjectId, new: ObjectId) -> bool {
        let (Some(a), Some(b)) = (self.0[OLD].memory.get(old), self.0[NEW].memory.get(new)) else {
            return false;
        };
        let live = [
            a.partner.filter(|p| self.0[NEW].memory.get(*p).is_some()),
            b.partner.filter(|p| self.0[OLD].memory.get(*p).is_some()),
        ];
        match live {
            [Some(partner), _] => partner == new,
            [None, Some(_)] => false,
            [None, None] => {
                let alike = match (a.what, b.what) {
                    (What::Global(g), What::Global(h)) => match pairing.global_partner(g) {
                        Some(partner) => partner == h,
                        None => same_content(pairing.programs, g, h),
                    },
                    (What::Stack(i), What::Stack(j)) => {
                        pairing.partner(OLD, i).is_none_or(|partner| partner == j)
                    }
                    (x, y) => std::mem::discriminant(&x) == std::mem::discriminant(&y),
                };
                if alike {
                    self.link(old, new);
                }
                alike
            }
        }
    }

    pub fn link(&mut self, old: ObjectId, new: ObjectId) {
        self.0[OLD].memory.link(old, new);
        self.0[NEW].memory.link(new, old);
    }

    /// The same place in the other version.
    pub fn counterpart(&mut self, side: usize, address: u64) -> Option<u64> {
        let (object, offset) = self.0[side].memory.object(address)?;
        let partner = self.0[side].memory.get(object)?.partner?;
        Some(self.0[1 - side].memory.get(partner)?.address.wrapping_add(offset))
    }

    /// Has this byte the same content in both? `at`: its address in each version.
    pub fn same_byte(&mut self, programs: [&Program; 2], at: [u64; 2]) -> bool {
        let bytes = [OLD, NEW].map(|side| self.0[side].memory.byte(programs[side], at[side]));
        match bytes {
            [Some(a), Some(b)] => a == b,
            [None, None] => {
                [OLD, NEW].into_iter().all(|side| self.0[side].memory.nodes(at[side], 1).is_empty())
            }
            _ => false,
        }
    }
}

/// Texts and other constants without a name.
fn same_content(programs: [&Program; 2], old: GlobalId, new: GlobalId) -> bool {
    let content = |side: usize, global: GlobalId| match programs[side].global(global).initialiser {
        Some(Operand::Const(constant)) => Some(&programs[side].constant(constant).kind),
        _ => None,
    };
    match (content(OLD, old), content(NEW, new)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}
