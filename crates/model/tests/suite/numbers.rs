//! The model and the instrumenter number the same things alike.

use crate::common::*;
use parallax_instrument::{clean_up, instrument, Mode, Options, Watch};
use parallax_model::*;
use parallax_trace::sites::SiteKind;

fn kind_fits(kind: SiteKind, op: Op) -> bool {
    match kind {
        SiteKind::Branch => op == Op::CondBr,
        SiteKind::Switch => op == Op::Switch,
        SiteKind::Load => matches!(op, Op::Load { .. } | Op::AtomicRmw { .. } | Op::CmpXchg { .. }),
        SiteKind::Store => matches!(op, Op::Store { .. }),
        SiteKind::Call => matches!(op, Op::Call { .. }),
        SiteKind::Arithmetic => matches!(op, Op::Binary(_)),
        SiteKind::Other => true,
    }
}

#[test]
fn sites_blocks_and_edges_of_an_instrumented_program_are_those_of_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let bitcode = compile(&source("numbers.c"), directory.path(), &["-g"]);
    let cleaned = clean_up(&bitcode, directory.path()).unwrap();
    let p = load(&std::fs::read(cleaned).unwrap()).unwrap();
    let options = Options {
        bitcode,
        link_arguments: vec![],
        cxx: false,
        mode: Mode::Coverage,
        watch: Watch::default(),
        cache: directory.path().into(),
    };
    let map = instrument(&options).unwrap().map;
    assert_eq!(map.functions.len(), p.defined as usize);
    assert_eq!(map.blocks.len(), p.blocks.len());
    for (b, info) in p.block_ids().zip(&map.blocks) {
        assert_eq!(FuncId(info.function), p.block(b).func);
    }
    assert!(map.sites.len() > 20);
    for site in &map.sites {
        let function = p.func(p.block(BlockId(site.block)).func);
        let inst = InstId(function.insts.start + site.instruction);
        assert_eq!(p.inst(inst).block, BlockId(site.block));
        assert!(kind_fits(site.kind, p.inst(inst).op), "{site:?} is {:?}", p.inst(inst).op);
        let place = p.loc(inst).map_or((0, 0), |l| (l.line, l.col));
        assert_eq!(place, (site.line, site.column));
    }
    for edge in map.edges.iter().filter(|e| e.from != e.to) {
        assert!(p.successors(BlockId(edge.from)).contains(&BlockId(edge.to)));
    }
}
