//! The `impri` program: everything is in `boot`.

use std::process::ExitCode;

fn main() -> ExitCode {
    impri::boot::run()
}
