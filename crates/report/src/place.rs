//! Where a site is in the source.
//!
//! In: a program map and a site number of a trace. Out: file, line, column and function. A site that the
//! map does not have (a trace of another build) is shown by its number.

use parallax_trace::sites::ProgramMap;
use serde::Serialize;
use std::fmt;

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    pub site: u32,
    pub file: Option<String>,
    pub line: u32,
    pub column: u32,
    pub function: Option<String>,
    /// Inside one of the libc functions that Parallax brings.
    pub libc: bool,
}

impl Place {
    pub fn of(map: &ProgramMap, site: u32) -> Place {
        let Some(info) = map.sites.get(site as usize) else { return Place { site, ..Place::default() } };
        let block = map.blocks.get(info.block as usize);
        let function = block.and_then(|b| map.functions.get(b.function as usize));
        Place {
            site,
            file: function.and_then(|f| map.files.get(f.file? as usize)).map(|name| plain_file(name)),
            line: info.line,
            column: info.column,
            function: function.map(|f| plain_function(&f.name)),
            libc: function.is_some_and(|f| f.model),
        }
    }
}

/// Names that Parallax gave are shown as in the source.
fn plain_function(name: &str) -> String {
    let own = ["__plx_libc_", "__plx_m_", "__plx_io_", "__plx_"];
    own.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name).to_owned()
}

fn plain_file(name: &str) -> String {
    name.strip_prefix("./").unwrap_or(name).to_owned()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (&self.function, &self.file) {
            (Some(function), _) if self.libc => write!(f, "libc {function}"),
            (_, Some(file)) if self.line > 0 => write!(f, "{file}:{}:{}", self.line, self.column),
            (Some(function), _) => write!(f, "{function} (no line)"),
            _ => write!(f, "site {}", self.site),
        }
    }
}
