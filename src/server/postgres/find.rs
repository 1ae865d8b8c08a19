//! Finding the PostgreSQL programs that are installed.
//!
//! Owns where packages put `initdb` and `postgres`, and which of several to take. Knows nothing about a cluster
//! but the major version that made it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tokio::process::Command;

use super::error::PostgresError;

/// The oldest major version that is tested and still maintained.
const MINIMUM_MAJOR: u32 = 14;

/// Folders of packages, with `*` for the part that names the version.
///
/// Debian keeps these off PATH on purpose, and Homebrew does for all but the default version.
const PACKAGE_FOLDERS: [(&str, &str, &str); 7] = [
    ("/usr/lib/postgresql", "", "bin"),
    ("/usr", "pgsql-", "bin"),
    ("/opt/homebrew/opt", "postgresql", "bin"),
    ("/usr/local/opt", "postgresql", "bin"),
    ("/home/linuxbrew/.linuxbrew/opt", "postgresql", "bin"),
    ("/Applications/Postgres.app/Contents/Versions", "", "bin"),
    ("/Library/PostgreSQL", "", "bin"),
];

/// One installed PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Programs {
    /// The folder with the programs.
    pub(super) folder: PathBuf,
    /// Its major version.
    pub(super) major: u32,
}

impl Programs {
    pub(super) fn initdb(&self) -> PathBuf {
        self.folder.join("initdb")
    }

    pub(super) fn postgres(&self) -> PathBuf {
        self.folder.join("postgres")
    }

    /// Asks the programs in `folder` which version they are; `None` when they are not all there.
    async fn inspect(folder: PathBuf) -> Option<Self> {
        if !folder.join("initdb").is_file() {
            return None;
        }
        let output = Command::new(folder.join("postgres")).arg("--version").output().await.ok()?;
        let major = parse_major(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { folder, major })
    }
}

/// Finds the programs to run `cluster` with, which `made_by` made if it exists already.
///
/// # Errors
///
/// When nothing is installed, or nothing that fits.
pub(super) async fn programs(cluster: &Path, made_by: Option<u32>) -> Result<Programs, PostgresError> {
    choose(installed().await, cluster, made_by)
}

/// All installed versions: first what the operator put on PATH, then packages, the newest first.
async fn installed() -> Vec<Programs> {
    let mut found: Vec<Programs> = Vec::new();
    for folder in [folder_on_path().await, folder_of_pg_config().await].into_iter().flatten() {
        found.extend(Programs::inspect(folder).await);
    }
    let mut packaged = Vec::new();
    for folder in package_folders() {
        packaged.extend(Programs::inspect(folder).await);
    }
    packaged.sort_by_key(|programs| std::cmp::Reverse(programs.major));
    found.extend(packaged);
    found
}

fn choose(installed: Vec<Programs>, cluster: &Path, made_by: Option<u32>) -> Result<Programs, PostgresError> {
    let Some(newest) = installed.iter().max_by_key(|programs| programs.major).cloned() else {
        return Err(PostgresError::NotInstalled);
    };
    if let Some(needed) = made_by {
        let mut majors: Vec<u32> = installed.iter().map(|programs| programs.major).collect();
        majors.sort_unstable();
        majors.dedup();
        return installed.into_iter().find(|programs| programs.major == needed).ok_or_else(|| {
            PostgresError::WrongMajor {
                cluster: cluster.to_owned(),
                needed,
                found: majors.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
            }
        });
    }
    installed.into_iter().find(|programs| programs.major >= MINIMUM_MAJOR).ok_or(PostgresError::TooOld {
        found: newest.major,
        folder: newest.folder,
        minimum: MINIMUM_MAJOR,
    })
}

/// The shell is asked, because it knows PATH and this module may not read the environment.
async fn folder_on_path() -> Option<PathBuf> {
    let output = Command::new("sh").args(["-c", "command -v postgres"]).output().await.ok()?;
    let found = String::from_utf8(output.stdout).ok()?;
    // Links are followed to the folder that has all of the programs: distributions link single ones.
    Some(fs::canonicalize(found.trim()).ok()?.parent()?.to_owned())
}

async fn folder_of_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().await.ok()?;
    let found = String::from_utf8(output.stdout).ok()?;
    let folder = found.trim();
    (output.status.success() && !folder.is_empty()).then(|| PathBuf::from(folder))
}

fn package_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for (parent, prefix, inside) in PACKAGE_FOLDERS {
        let Ok(entries) = fs::read_dir(parent) else { continue };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                folders.push(entry.path().join(inside));
            }
        }
    }
    folders
}

/// Reads the major version out of `postgres (PostgreSQL) 15.8 (Debian …)`, `17beta1`, `18devel`.
fn parse_major(version: &str) -> Option<u32> {
    let (_, number) = version.split_once("(PostgreSQL) ")?;
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    number[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(folder: &str, major: u32) -> Programs {
        Programs { folder: folder.into(), major }
    }

    #[test]
    fn reads_the_version_of_every_kind_of_build() {
        assert_eq!(parse_major("postgres (PostgreSQL) 15.8 (Debian 15.8-0+deb12u1)\n"), Some(15));
        assert_eq!(parse_major("postgres (PostgreSQL) 17beta1\n"), Some(17));
        assert_eq!(parse_major("postgres (PostgreSQL) 18\n"), Some(18));
        assert_eq!(parse_major("PostgreSQL"), None);
    }

    #[test]
    fn a_new_cluster_takes_the_first_that_is_new_enough() {
        let installed = vec![at("/a", 9), at("/b", 15), at("/c", 17)];
        assert_eq!(choose(installed, Path::new("/x"), None).ok(), Some(at("/b", 15)));
    }

    #[test]
    fn a_cluster_keeps_the_version_that_made_it() {
        let installed = vec![at("/b", 17), at("/c", 15)];
        assert_eq!(choose(installed.clone(), Path::new("/x"), Some(15)).ok(), Some(at("/c", 15)));
        let refused =
            choose(installed, Path::new("/x"), Some(16)).expect_err("16 is not installed").to_string();
        assert!(refused.contains("PostgreSQL 16, but only PostgreSQL 15, 17"), "{refused}");
    }

    #[test]
    fn says_what_to_install() {
        let refused = choose(vec![], Path::new("/x"), None).expect_err("nothing installed").to_string();
        assert!(
            refused.contains("apt-get install postgresql") && refused.contains("brew install"),
            "{refused}"
        );
        let refused = choose(vec![at("/a", 11)], Path::new("/x"), None).expect_err("too old").to_string();
        assert!(refused.contains("PostgreSQL 11 in /a is too old"), "{refused}");
    }
}
