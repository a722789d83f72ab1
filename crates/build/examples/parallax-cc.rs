//! The compiler wrapper, built with this crate's tests.

fn main() {
    parallax_build::wrapper::main(parallax_build::Language::C)
}
