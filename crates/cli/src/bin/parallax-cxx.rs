//! Stands in for the C++ compiler of a build (`parallax-c++` is a link to it: a crate's name
//! cannot hold a plus sign); see `parallax_build::wrapper`.

fn main() {
    parallax_build::wrapper::main(parallax_build::Language::Cxx)
}
