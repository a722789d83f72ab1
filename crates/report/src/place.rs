//! Where a site is in the source.
//!
//! In: a program map and a site number of a trace. Out: file, line, column and function.
//!
//! Always holds: a site that the map does not have (the runtime itself does not know where its caller is) is an unknown place,
//! never a number.

use parallax_trace::sites::ProgramMap;
use serde::Serialize;
use std::fmt;

/// How a place in one of the libc functions that Parallax brings is shown.
pub(crate) const LIBC: &str = "libc ";

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Number of the instruction; `None` if it is not known.
    pub site: Option<u32>,
    pub file: Option<String>,
    pub line: u32,
    pub column: u32,
    pub function: Option<String>,
    /// Inside one of the libc functions that Parallax brings.
    pub libc: bool,
}

impl Place {
    pub fn of(map: &ProgramMap, site: u32) -> Place {
        let Some(info) = map.sites.get(site as usize) else { return Place::default() };
        let block = map.blocks.get(info.block as usize);
        let function = block.and_then(|b| map.functions.get(b.function as usize));
        Place {
            site: Some(site),
            file: function.and_then(|f| map.files.get(f.file? as usize)).map(|name| plain_file(name)),
            line: info.line,
            column: info.column,
            function: function.map(|f| plain_function(&f.name)),
            libc: function.is_some_and(|f| f.model),
        }
    }
}

/// Names that Parallax gave are shown as in the source.
pub fn plain_function(name: &str) -> String {
    let own = ["__plx_libc_", "__plx_m_", "__plx_io_", "__plx_"];
    own.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name).to_owned()
}

fn plain_file(name: &str) -> String {
    name.strip_prefix("./").unwrap_or(name).to_owned()
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (&self.function, &self.file) {
            (Some(function), _) if self.libc => write!(f, "{LIBC}{function}"),
            (_, Some(file)) if self.line > 0 => write!(f, "{file}:{}:{}", self.line, self.column),
            (Some(function), _) => write!(f, "{function} (no line)"),
            _ => write!(f, "an unknown place"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_that_nobody_knows_is_an_unknown_place_and_no_number() {
        let place = Place::of(&ProgramMap::default(), u32::MAX);
        assert_eq!(place.to_string(), "an unknown place");
        assert_eq!(serde_json::to_value(&place).unwrap()["site"], serde_json::Value::Null);
    }
}
