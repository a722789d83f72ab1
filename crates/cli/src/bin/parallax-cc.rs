//! Stands in for the C compiler of a build; see `parallax_build::wrapper`.

fn main() {
    parallax_build::wrapper::main(parallax_build::Language::C)
}
