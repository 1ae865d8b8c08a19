//! Tells cargo what the server embeds besides source: the site that `scripts/build` makes, and the migrations.
#![expect(clippy::disallowed_methods, reason = "cargo speaks to build scripts through the environment")]

use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=IMPRI_SITE_DIR");
    if env::var_os("CARGO_FEATURE_SSR").is_none() {
        return;
    }

    // `sqlx::migrate!` notices a changed file by itself, a new one only through this. A path that does not
    // exist would rerun this script every time.
    if Path::new("migrations").is_dir() {
        println!("cargo:rerun-if-changed=migrations");
    }

    // Without a site (cargo check, tests) the binary embeds an empty folder.
    if let Ok(site) = env::var("IMPRI_SITE_DIR") {
        println!("cargo:rerun-if-changed={site}");
        println!("cargo:rerun-if-changed={site}/assets.json");
    } else {
        let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
        let empty = Path::new(&out).join("empty-site");
        fs::create_dir_all(&empty).expect("OUT_DIR is writable");
        println!("cargo:rustc-env=IMPRI_SITE_DIR={}", empty.display());
    }
}
