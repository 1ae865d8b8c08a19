//! The Python of the tests.

use std::env;
use std::path::PathBuf;

/// The interpreter with the packages of `tests/requirements.txt`: `scripts/setup test` makes it.
pub(crate) fn python() -> PathBuf {
    let usual = || {
        let home = env::var_os("HOME").expect("a home directory");
        PathBuf::from(home).join(".cache/impri/venv/bin/python")
    };
    let python = env::var_os("IMPRI_TEST_PYTHON").map_or_else(usual, PathBuf::from);
    assert!(python.exists(), "{} is missing: run scripts/setup test", python.display());
    python
}
