//! Which parameter of an old function is which of the new one.
//!
//! In: a pair of functions. Out: [`Params`]. Parameters of one name are the same; what is left, in order.
//!
//! Always holds: one to one; functions with equally many parameters of the same types are matched by place, because a
//! renamed parameter is no change.

use parallax_model::*;

pub struct Params {
    /// By old parameter.
    to_new: Vec<Option<u32>>,
}

impl Params {
    pub fn same(&self, old: u32, new: u32) -> bool {
        self.to_new.get(old as usize) == Some(&Some(new))
    }
}

pub fn pair(old: &Program, new: &Program, f: FuncId, g: FuncId) -> Params {
    let (a, b) = (&old.func(f).params, &new.func(g).params);
    let sorted = |params: &[Param]| {
        let mut names: Vec<_> = params.iter().map(|p| p.name.clone()).collect();
        names.sort();
        names
    };
    // The same names in another order are exchanged parameters; other names at the same places, renamed ones.
    let by_place = a.len() == b.len() && (sorted(a) != sorted(b) || a.iter().any(|p| p.name.is_none()));
    if by_place {
        return Params { to_new: (0..a.len() as u32).map(Some).collect() };
    }
    let mut to_new: Vec<Option<u32>> = Vec::new();
    for param in a {
        let same = |p: &Param| p.name.is_some() && p.name == param.name;
        let at = b.iter().position(same).map(|at| at as u32);
        to_new.push(at.filter(|at| !to_new.contains(&Some(*at))));
    }
    let free: Vec<u32> = (0..b.len() as u32).filter(|j| !to_new.contains(&Some(*j))).collect();
    let mut free = free.into_iter();
    for slot in to_new.iter_mut().filter(|slot| slot.is_none()) {
        *slot = free.next();
    }
    Params { to_new }
}
