//! Plans of pairs of small C programs, read by source lines.

use parallax_change::{compare, targets};
use parallax_instrument::{clean_up, instrument, Options};
use parallax_model::points_to::PointsTo;
use parallax_model::{load, Program};
use parallax_plan::{Distance, Pair, Plan, Settings, Versions};
use parallax_trace::format::Mode;
use parallax_trace::sites::ProgramMap;
use std::path::Path;
use std::process::Command;

const FLAGS: [&str; 7] = ["-c", "-emit-llvm", "-g", "-O1", "-Xclang", "-disable-llvm-passes", "-fno-builtin"];

struct Built {
    program: Program,
    map: ProgramMap,
}

fn build(directory: &Path, name: &str, text: &str) -> Built {
    let (source, bitcode) = (directory.join(format!("{name}.c")), directory.join(format!("{name}.bc")));
    std::fs::write(&source, text).unwrap();
    let status = Command::new("clang-19").args(FLAGS).arg(&source).arg("-o").arg(&bitcode).status().unwrap();
    assert!(status.success());
    let program = load(&std::fs::read(clean_up(&bitcode, directory).unwrap()).unwrap()).unwrap();
    let options = Options {
        bitcode,
        link_arguments: vec![],
        cxx: false,
        mode: Mode::Coverage,
        watch: Default::default(),
        cache: directory.join("cache"),
    };
    Built { program, map: instrument(&options).unwrap().map }
}

/// The plan of a change, and the map of the new version.
fn plan(old: &str, new: &str) -> (Plan, ProgramMap) {
    let directory = tempfile::tempdir().unwrap();
    let both = Pair::new(build(directory.path(), "old", old), build(directory.path(), "new", new));
    let programs = Pair::new(&both.old.program, &both.new.program);
    let comparison = compare(programs.old, programs.new, &Default::default());
    let targets = targets(programs.new, &comparison);
    let points_to = programs.map(PointsTo::new);
    let versions = Versions {
        programs,
        comparison: &comparison,
        targets: &targets,
        points_to: Pair::new(Some(&points_to.old), Some(&points_to.new)),
        maps: Pair::new(&both.old.map, &both.new.map),
    };
    (Plan::new(&versions, &Settings::default()), both.new.map.clone())
}

fn blocks_at(map: &ProgramMap, line: u32) -> Vec<u32> {
    (0..).zip(&map.blocks).filter(|(_, block)| block.line == line).map(|(number, _)| number).collect()
}

/// Lines of the blocks that give decisions the values with which they go to a line.
fn definitions(plan: &Plan, map: &ProgramMap, to: u32) -> Vec<u32> {
    let decisions = plan.versions.new.decisions.values();
    let ways =
        decisions.flat_map(|decision| &decision.ways).filter(|way| map.blocks[way.to as usize].line == to);
    let mut lines: Vec<u32> =
        ways.flat_map(|way| &way.by).map(|by| map.blocks[by.block as usize].line).collect();
    lines.sort();
    lines.dedup();
    lines
}

const PARSER: &str = "\
#include <stdio.h>
struct parser { int strict, level; };
static int handler(int c) {
  return c + 1;
}
static int other(int c) {
  return c;
}
static int (*hook)(int) = other;
static void word(struct parser *p, int c) {
  if (c == 'a')
    p->strict = 1;
  else if (c == 'b')
    p->level = 7;
  else if (c == 'c')
    hook = handler;
}
static int kind(int c) {
  if (c == 'x')
    return 3;
  return 0;
}
int main(void) {
  struct parser p = { 0, 0 };
  int c, n = 0;
  while ((c = getchar()) != EOF) {
    word(&p, c);
    if (kind(c) == 3)
      n++;
    if (p.strict)
      puts(\"strict\");
    n += hook(c);
  }
  return n;
}
";

#[test]
fn a_flag_of_a_structure_is_defined_where_it_is_stored_through_a_pointer() {
    let (plan, map) = plan(PARSER, &PARSER.replace("puts(\"strict\")", "puts(\"strictly\")"));
    assert_eq!(definitions(&plan, &map, 31), [12], "the store, and not the initial 0");
    assert_eq!(definitions(&plan, &map, 29), [19], "the result of a call, where it is chosen");
}

#[test]
fn a_function_behind_a_pointer_is_called_where_its_address_was_stored() {
    let (plan, map) = plan(PARSER, &PARSER.replace("return c + 1", "return c + 2"));
    assert_eq!(definitions(&plan, &map, 4), [16]);
    let target = &plan.versions.new.destinations[0];
    assert_eq!(map.blocks[target.block.unwrap() as usize].line, 4);
    assert!(target.edges.iter().all(|edge| map.edges[*edge as usize].to == target.block.unwrap()));
    // Through the pointer: nothing else calls it.
    assert!(blocks_at(&map, 12).iter().all(|block| matches!(target.distance(*block), Distance::Branches(_))));
}

#[test]
fn every_target_has_distances_of_its_own() {
    let new = PARSER.replace("return c + 1", "return c + 2").replace("p->level = 7", "p->level = 8");
    let (plan, map) = plan(PARSER, &new);
    let at = |line| blocks_at(&map, line)[0];
    let to = |line| plan.versions.new.destinations.iter().find(|d| d.block == Some(at(line))).unwrap();
    let (handler, level) = (to(4), to(14));
    assert_eq!(handler.distance(at(4)), Distance::Branches(0));
    assert_eq!(level.distance(at(14)), Distance::Branches(0));
    assert_eq!(level.distance(at(13)), Distance::Branches(1));
    assert!(handler.distance(at(13)) > Distance::Branches(1));
    let places = &plan.versions.new.places;
    assert_eq!([at(4), at(14)].map(|block| places[block as usize].distance), [Distance::Branches(0); 2]);
    let graph = &plan.versions.new.graph;
    assert_eq!(graph.distances(&[at(14)])[at(13) as usize], Distance::Branches(1));
}

#[test]
fn what_preconditions_prove_hopeless_is_no_way_and_need_not_be_taken() {
    let old = "\
#include <stdio.h>
int main(int argc, char **argv) {
  int mode = 0;
  (void)argv;
  if (argc > 2)
    mode = 1;
  else
    puts(\"few\");
  puts(\"go\");
  if (mode)
    puts(\"changed\");
  return 0;
}
";
    let (plan, map) = plan(old, &old.replace("changed", "different"));
    let new = &plan.versions.new;
    assert_eq!(new.places[blocks_at(&map, 8)[0] as usize].distance, Distance::Never);
    let into: Vec<u32> = new.irrelevant.propagate.iter().map(|edge| map.edges[*edge as usize].to).collect();
    assert!(into.contains(&blocks_at(&map, 8)[0]), "{into:?}");
    assert!(new.irrelevant.propagate.is_subset(&new.irrelevant.execute));
}
