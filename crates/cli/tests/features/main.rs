//! What instrumentation must do to every feature of C: run it as the native build does, and record it
//! exactly or say that it was lost.

mod by_hand;
#[cfg(target_arch = "x86_64")]
mod cage;
mod cases;
mod inputs;
mod random;
mod rounds;
mod stays;
mod support;
mod work;
