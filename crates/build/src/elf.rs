//! ELF files and archives: sections in, sections out.
//!
//! In: paths. Out: bytes of a section, members of an archive, an object that holds nothing but
//! sections.
//! What always holds: a file that is not what it should be is a [`BuildError`], never a panic.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;

use object::read::archive::ArchiveFile;
use object::{elf, Object, ObjectKind, ObjectSection, SectionFlags, SectionKind};

use crate::cache::Cache;
use crate::error::{AtPath, BuildError};
use crate::tools;

/// What a file is, as far as linking goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Executable,
    Shared,
    Object,
    Archive,
    /// A linker script, text, or anything else.
    Other,
}

/// Looks at the content, not at the name.
pub fn kind_of(content: &[u8]) -> FileKind {
    if content.starts_with(b"!<arch>\n") || content.starts_with(b"!<thin>\n") {
        return FileKind::Archive;
    }
    let Ok(file) = object::File::parse(content) else { return FileKind::Other };
    match file.kind() {
        ObjectKind::Relocatable => FileKind::Object,
        ObjectKind::Executable => FileKind::Executable,
        // A position-independent executable names an interpreter; a shared library does not.
        ObjectKind::Dynamic if file.section_by_name(".interp").is_some() => FileKind::Executable,
        ObjectKind::Dynamic if is_static_pie(content) => FileKind::Executable,
        ObjectKind::Dynamic => FileKind::Shared,
        _ => FileKind::Other,
    }
}

/// Is the file for a machine of 32 bits? Only its first bytes are looked at.
pub fn is_32_bit(path: &Path) -> bool {
    let mut start = [0; 5];
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"\x7fELF\x01"
}

/// A static position-independent executable has neither interpreter nor name, but says `DF_1_PIE`.
fn is_static_pie(content: &[u8]) -> bool {
    dynamic_entries(content)
        .iter()
        .any(|&(tag, value)| tag == elf::DT_FLAGS_1 && value & u64::from(elf::DF_1_PIE) != 0)
}

/// Names of the shared libraries that a program or library asks for.
pub fn needed(content: &[u8]) -> Vec<String> {
    dynamic_strings(content, elf::DT_NEEDED)
}

/// The name under which the loader knows a shared library.
pub fn soname(content: &[u8]) -> Option<String> {
    dynamic_strings(content, elf::DT_SONAME).pop()
}

/// Does the loader start it?
pub fn is_dynamic(content: &[u8]) -> bool {
    object::File::parse(content).is_ok_and(|file| file.section_by_name(".interp").is_some())
}

/// Where the loader looks because the file says so; `origin` is the file's directory.
pub fn run_paths(content: &[u8], origin: &Path) -> Vec<PathBuf> {
    let new = dynamic_strings(content, elf::DT_RUNPATH);
    // The loader does not look at the old kind if there is the new one.
    let paths = if new.is_empty() { dynamic_strings(content, elf::DT_RPATH) } else { new };
    let origin = origin.to_string_lossy();
    let expanded = |path: &str| path.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin);
    paths.iter().flat_map(|list| list.split(':')).map(|path| PathBuf::from(expanded(path))).collect()
}

/// The strings of all entries of a kind.
fn dynamic_strings(content: &[u8], tag: u32) -> Vec<String> {
    let strings = section(content, ".dynstr");
    let name = |offset: usize| {
        let bytes = strings.get(offset..)?.split(|&b| b == 0).next()?;
        Some(String::from_utf8_lossy(bytes).into_owned())
    };
    let entries = dynamic_entries(content);
    let offsets = entries.iter().filter(|(found, _)| *found == tag).map(|&(_, value)| value as usize);
    offsets.filter_map(name).collect()
}

/// Tag and value of each entry of the dynamic section of a 64-bit file.
fn dynamic_entries(content: &[u8]) -> Vec<(u32, u64)> {
    use object::read::elf::{Dyn, FileHeader};
    let parse = || {
        let header = elf::FileHeader64::<object::Endianness>::parse(content).ok()?;
        let endian = header.endian().ok()?;
        let sections = header.sections(endian, content).ok()?;
        let (entries, _) = sections.dynamic(endian, content).ok()??;
        Some(entries.iter().filter_map(|e| Some((e.tag32(endian)?, e.d_val(endian)))).collect())
    };
    parse().unwrap_or_default()
}

/// Content of a section, empty if there is none. Compressed sections are not ours.
pub fn section(content: &[u8], name: &str) -> Vec<u8> {
    let Ok(file) = object::File::parse(content) else { return Vec::new() };
    let data = file.section_by_name(name).and_then(|section| section.data().ok().map(<[u8]>::to_vec));
    data.unwrap_or_default()
}

/// Members of an archive with their names. A thin archive's members are read from beside it.
pub fn archive_members(path: &Path) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
    let content = fs::read(path).at(path)?;
    let damaged = |_| BuildError::NotElf(path.to_path_buf());
    let archive = ArchiveFile::parse(&*content).map_err(damaged)?;
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(member.name()).into_owned();
        let data = if member.is_thin() {
            let file = path.parent().unwrap_or(Path::new(".")).join(&name);
            fs::read(&file).at(file)?
        } else {
            member.data(&*content).map_err(damaged)?.to_vec()
        };
        members.push((name, data));
    }
    Ok(members)
}

/// Adds a section that takes no memory at run time to an object, in place.
pub fn add_section(object: &Path, name: &str, content: &[u8], cache: &Cache) -> Result<(), BuildError> {
    let file = cache.temporary(".sec")?;
    fs::write(file.path(), content).at(file.path())?;
    let mut option = std::ffi::OsString::from(format!("{name}="));
    option.push(file.path());
    tools::run_checked(
        Command::new(tools::llvm_tool("llvm-objcopy")).arg("--add-section").arg(option).arg(object),
    )?;
    Ok(())
}

/// An object of this machine with nothing but the given sections, which survive `--gc-sections`
/// and leave the stack as it is. `None` on a machine for which there is no ELF architecture here.
pub fn carrier_object(sections: &[(&str, Vec<u8>)]) -> Option<Vec<u8>> {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => object::Architecture::X86_64,
        "aarch64" => object::Architecture::Aarch64,
        _ => return None,
    };
    let mut file =
        object::write::Object::new(object::BinaryFormat::Elf, architecture, object::Endianness::Little);
    // Linkers honour SHF_GNU_RETAIN only in objects of the GNU ABI.
    file.flags = object::FileFlags::Elf { os_abi: elf::ELFOSABI_GNU, abi_version: 0, e_flags: 0 };
    for (name, content) in sections {
        let id = file.add_section(Vec::new(), name.as_bytes().to_vec(), SectionKind::Other);
        file.section_mut(id).flags = SectionFlags::Elf { sh_flags: u64::from(elf::SHF_GNU_RETAIN) };
        file.append_section_data(id, content, 1);
    }
    let stack = file.add_section(Vec::new(), b".note.GNU-stack".to_vec(), SectionKind::Other);
    file.section_mut(stack).flags = SectionFlags::Elf { sh_flags: 0 };
    file.write().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carrier_object_gives_its_sections_back() {
        let object = carrier_object(&[(".one", b"1".to_vec()), (".two", b"22".to_vec())]).unwrap();
        assert_eq!(kind_of(&object), FileKind::Object);
        assert_eq!(section(&object, ".two"), b"22");
        assert_eq!(section(&object, ".three"), b"");
    }

    #[test]
    fn text_is_no_object() {
        assert_eq!(kind_of(b"#!/bin/sh\n"), FileKind::Other);
        assert_eq!(kind_of(b""), FileKind::Other);
    }
}
