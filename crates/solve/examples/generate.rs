//! Writes queries like those of a concolic search, from traces made by hand, as SMT-LIB:
//! `generate DIRECTORY COUNT`. The same count gives the same files.

use parallax_solve::smtlib::script;
use parallax_solve::subjects::{flips, trace, KINDS};
use parallax_solve::{Pool, Query, Var};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, directory, count] = &arguments[..] else {
        return Err("usage: generate DIRECTORY COUNT".into());
    };
    let count: usize = count.parse()?;
    std::fs::create_dir_all(directory)?;
    let mut rng = fastrand::Rng::with_seed(0);
    let mut written = 0;
    let mut kinds = KINDS.iter().cycle();
    while let (true, Some((name, kind))) = (written < count, kinds.next()) {
        let trace = trace(*kind, &mut |n| rng.u64(..n));
        let mut pool = Pool::new();
        let queries = flips(&mut pool, &trace);
        let seed = |var: Var| trace.inputs().get(var.input as usize)?.byte(var.offset);
        for constraints in queries.iter().take(count - written) {
            let text = script(&Query::new(&pool, constraints, &seed));
            std::fs::write(Path::new(directory).join(format!("{written:08}-{name}.smt2")), text)?;
            written += 1;
        }
    }
    Ok(())
}
