//! The only reading of the process's environment outside the command-line parser.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use nix::unistd::geteuid;

use super::ConfigError;

/// Variables with our prefix that are read by the clients of the server, so that a shell may have them set.
const CLIENT_VARIABLES: [&str; 2] = ["IMPRI_API_KEY", "IMPRI_BASE_URL"];

/// The data directory of whoever runs this, without a setting.
///
/// # Errors
///
/// When there is no home directory.
pub(super) fn default_data_dir() -> Result<PathBuf, ConfigError> {
    if geteuid().is_root() {
        return Ok("/var/lib/impri".into());
    }
    // A relative XDG_DATA_HOME is to be ignored (XDG base directory specification).
    let from_env = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    from_env("XDG_DATA_HOME")
        .or_else(|| from_env("HOME").map(|home| home.join(Path::new(".local/share"))))
        .map(|share| share.join("impri"))
        .ok_or(ConfigError::DataDir)
}

/// Makes sure that every `IMPRI_…` variable is one that is read: a misspelt one would be ignored without a word.
///
/// # Errors
///
/// [`ConfigError::Unknown`] with the nearest of the `known` ones.
pub fn check_environment(known: &[String]) -> Result<(), ConfigError> {
    check_names(env::vars_os().map(|(name, _)| name), known)
}

fn check_names(names: impl Iterator<Item = OsString>, known: &[String]) -> Result<(), ConfigError> {
    let known: Vec<&str> = known.iter().map(String::as_str).chain(CLIENT_VARIABLES).collect();
    for name in names {
        let name = name.to_string_lossy();
        if !name.starts_with("IMPRI_") || known.contains(&name.as_ref()) {
            continue;
        }
        let nearest = known.iter().min_by_key(|known| distance(&name, known)).copied().unwrap_or_default();
        return Err(ConfigError::Unknown { name: name.into_owned(), nearest: nearest.to_owned() });
    }
    Ok(())
}

/// How many characters must be inserted, removed or replaced to get from one to the other (Levenshtein).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str) -> Result<(), ConfigError> {
        let known = ["IMPRI_LISTEN", "IMPRI_DATA_DIR", "IMPRI_PUBLIC_URL"].map(str::to_owned);
        check_names(std::iter::once(OsString::from(name)), &known)
    }

    #[test]
    fn names_the_setting_that_was_meant() {
        let refused = check("IMPRI_DATADIR").expect_err("misspelt").to_string();
        assert_eq!(
            refused,
            "IMPRI_DATADIR is set, but impri has no such setting: did you mean IMPRI_DATA_DIR?"
        );
        let refused = check("IMPRI_PUBLIC_URI").expect_err("misspelt").to_string();
        assert!(refused.contains("IMPRI_PUBLIC_URL?"), "{refused}");
    }

    #[test]
    fn leaves_known_and_foreign_variables_alone() {
        for name in ["IMPRI_LISTEN", "IMPRI_API_KEY", "PATH", "impri_listen"] {
            assert!(check(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
