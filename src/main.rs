//! The `impri` program: reads the command line and hands over to [`impri::boot`].

#[cfg(feature = "ssr")]
fn main() -> std::process::ExitCode {
    impri::boot::run()
}
