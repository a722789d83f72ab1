//! The product of two versions for AFL++: both in one process, instrumented, in persistent mode.
//!
//! In: two C files and a seed, which decides how a test case of the fuzzer is laid out. Out: a fuzzing target, another one
//! with comparison logging, and the translation between test cases and the fuzzer's bytes.
//!
//! Always holds: the versions share no symbol; `bench/harness/product.c` says what the target does.

use crate::Result;
use parallax_execute::TestCase;
use std::path::{Path, PathBuf};
use std::process::Command;

const COMPILER: &str = "afl-clang-fast";
/// What the versions must not do to the fuzzing process, and what stands in.
const REPLACED: &[(&str, &str)] =
    &[("exit", "plx_exit"), ("abort", "plx_abort"), ("fopen", "plx_fopen"), ("fclose", "plx_fclose")];

/// How the bytes of the fuzzer become a test case.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Arguments come first; otherwise they are those of the seed.
    arguments: bool,
    /// Standard input is the rest.
    stdin: bool,
    seed: TestCase,
}

impl Layout {
    /// Everything that the seed has is fuzzed, except for the name of its file.
    pub fn of(seed: &TestCase) -> Layout {
        let file = !seed.files.is_empty();
        Layout {
            arguments: !file && !seed.argv.is_empty(),
            stdin: !file && !seed.stdin.is_empty(),
            seed: seed.clone(),
        }
    }

    fn defines(&self) -> Vec<String> {
        let mut defines = Vec::new();
        if self.arguments {
            defines.push("-DPLX_ARGUMENTS".to_owned());
        }
        if self.stdin {
            defines.push("-DPLX_STDIN".to_owned());
        }
        if let Some((name, _)) = self.seed.files.first() {
            defines.push(format!("-DPLX_FILE=\"{}\"", name.display()));
        }
        defines
    }

    /// The seed as the fuzzer sees it.
    pub fn encode(&self) -> Vec<u8> {
        if let Some((_, content)) = self.seed.files.first() {
            return content.clone();
        }
        let mut bytes = Vec::new();
        if self.arguments {
            for argument in &self.seed.argv {
                bytes.extend(argument);
                bytes.push(0);
            }
            if self.stdin {
                bytes.push(0);
            }
        }
        bytes.extend(&self.seed.stdin);
        bytes
    }

    /// The test case that the target makes of these bytes.
    pub fn decode(&self, bytes: &[u8]) -> TestCase {
        let mut test = self.seed.clone();
        if let Some((_, content)) = test.files.first_mut() {
            *content = bytes.to_vec();
            return test;
        }
        let mut rest = bytes;
        if self.arguments {
            test.argv.clear();
            while !rest.is_empty() && test.argv.len() < MAX_ARGUMENTS {
                let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
                test.argv.push(rest[..end].to_vec());
                rest = rest.get(end + 1..).unwrap_or_default();
                if self.stdin && rest.first() == Some(&0) {
                    rest = &rest[1..];
                    break;
                }
            }
        }
        test.stdin = rest.to_vec();
        test
    }
}

/// As in the harness, without `argv[0]`.
const MAX_ARGUMENTS: usize = 63;

/// A fuzzing target.
pub struct Product {
    pub target: PathBuf,
    /// The same with comparison logging.
    pub logging: PathBuf,
    pub layout: Layout,
}

impl Product {
    /// Builds below `directory`.
    pub fn build(old: &Path, new: &Path, seed: &TestCase, directory: &Path) -> Result<Product> {
        std::fs::create_dir_all(directory)?;
        let layout = Layout::of(seed);
        let maker = Maker { directory, logging: false };
        let target = maker.target("product", old, new, &layout)?;
        let logging = Maker { logging: true, ..maker }.target("logging", old, new, &layout)?;
        Ok(Product { target, logging, layout })
    }
}

#[derive(Clone, Copy)]
struct Maker<'d> {
    directory: &'d Path,
    logging: bool,
}

impl Maker<'_> {
    fn target(&self, name: &str, old: &Path, new: &Path, layout: &Layout) -> Result<PathBuf> {
        let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("harness");
        let objects = [
            self.compile("begin", &harness.join("markers.c"), &["-DPLX_BEGIN".to_owned()])?,
            self.version("old", old)?,
            self.version("new", new)?,
            self.compile("end", &harness.join("markers.c"), &[])?,
            self.compile("harness", &harness.join("product.c"), &layout.defines())?,
        ];
        let target = self.directory.join(name);
        run(self.compiler().args(objects).arg("-o").arg(&target))?;
        Ok(target)
    }

    fn compiler(&self) -> Command {
        let mut compiler = Command::new(COMPILER);
        compiler.env("AFL_QUIET", "1");
        if self.logging {
            compiler.env("AFL_LLVM_CMPLOG", "1");
        }
        compiler
    }

    /// The harness is not what is to be covered.
    fn compile(&self, name: &str, source: &Path, defines: &[String]) -> Result<PathBuf> {
        let denied = self.directory.join("denied");
        std::fs::write(&denied, "src:*product.c\nsrc:*markers.c\n")?;
        let object = self.directory.join(name).with_extension("o");
        let mut compiler = self.compiler();
        compiler.env("AFL_LLVM_DENYLIST", denied).args(["-O2", "-c"]).args(defines);
        run(compiler.arg(source).arg("-o").arg(&object))?;
        Ok(object)
    }

    fn version(&self, name: &str, source: &Path) -> Result<PathBuf> {
        let object = self.directory.join(name).with_extension("o");
        let main = format!("plx_{name}_main");
        let mut compiler = self.compiler();
        compiler.args(["-O2", "-w", "-c"]).arg(format!("-Dmain={main}"));
        run(compiler.arg(source).arg("-o").arg(&object))?;
        let mut objcopy = Command::new("objcopy");
        for (from, to) in REPLACED {
            objcopy.arg("--redefine-sym").arg(format!("{from}={to}"));
        }
        run(objcopy.arg(format!("--keep-global-symbol={main}")).arg(&object))?;
        Ok(object)
    }
}

fn run(command: &mut Command) -> Result<()> {
    let output = command.output().map_err(|e| {
        format!("{}: {e}; scripts/setup.sh --bench installs it", command.get_program().to_string_lossy())
    })?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(argv: &[&str], stdin: &str) -> TestCase {
        TestCase { stdin: stdin.into(), ..TestCase::with_args(argv) }
    }

    #[test]
    fn a_seed_comes_back_from_the_bytes_of_the_fuzzer() {
        let mut file = seed(&["in"], "");
        file.files.push(("in".into(), b"\0content\0".to_vec()));
        for test in [seed(&["-a", "b"], "in\0put"), seed(&["x"], ""), seed(&[], "\0\0text"), file] {
            let layout = Layout::of(&test);
            assert_eq!(layout.decode(&layout.encode()), test);
        }
    }

    #[test]
    fn bytes_without_an_end_of_arguments_are_all_arguments() {
        let layout = Layout::of(&seed(&["-a"], "text"));
        assert_eq!(layout.decode(b"one\0two"), seed(&["one", "two"], ""));
        assert_eq!(layout.decode(b"one\0\0two\0"), seed(&["one"], "two\0"));
    }
}
