//! The house rules, as far as a machine can see them: who may import whom, and what may stand where.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// A source file: its path below the repository's root, and its text.
struct Source {
    path: String,
    text: String,
}

/// Every Rust file under these folders.
fn sources(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut waiting: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting
                .extend(fs::read_dir(&path).expect("readable").map(|entry| entry.expect("readable").path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
            found.push(Source { path: name, text: fs::read_to_string(&path).expect("readable") });
        }
    }
    assert!(!found.is_empty(), "{folders:?} hold something");
    found
}

impl Source {
    /// The lines of code with their numbers: no comments.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines.map(|(index, line)| (index + 1, line)).filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Where a pattern stands, except in lines that also hold one of the exceptions.
    fn places(&self, pattern: &str, except: &[&str]) -> Vec<String> {
        let found = self.lines().filter(|(_, line)| line.contains(pattern));
        let found = found.filter(|(_, line)| !except.iter().any(|word| line.contains(word)));
        found.map(|(number, line)| format!("{}:{number}: {}", self.path, line.trim())).collect()
    }

    fn is_in(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.path.starts_with(place))
    }
}

/// Nothing in `rooms` may hold any of `patterns`.
#[track_caller]
fn assert_without(rooms: &[&str], patterns: &[&str]) {
    let found: Vec<String> = sources(rooms)
        .iter()
        .flat_map(|source| {
            patterns.iter().flat_map(|pattern| source.places(pattern, &[])).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{rooms:?} must not know {patterns:?}:\n{}", found.join("\n"));
}

const IO: [&str; 9] = [
    "axum::",
    "sqlx::",
    "tokio::",
    "leptos::",
    "reqwest::",
    "tower_sessions::",
    "std::fs",
    "std::net",
    "std::env",
];

#[test]
fn the_domain_knows_nothing_but_itself() {
    assert_without(&["src/domain"], &IO);
    assert_without(
        &["src/domain"],
        &["crate::wire", "crate::server", "crate::rpc", "crate::ui", "crate::boot"],
    );
    assert_without(&["src/domain"], &["now_utc", "SystemTime", "async fn", "rand::"]);
}

#[test]
fn the_wire_knows_the_domain_only() {
    assert_without(&["src/wire"], &["crate::server", "crate::rpc", "crate::ui", "crate::boot"]);
    assert_without(&["src/wire"], &["axum::", "sqlx::", "tokio::", "leptos_axum::", "reqwest::", "std::fs"]);
}

#[test]
fn the_pages_never_name_the_server() {
    assert_without(
        &["src/ui"],
        &["crate::server", "crate::boot", "sqlx::", "tokio::", "crate::domain::action"],
    );
}

#[test]
fn server_functions_reach_the_server_only_inside_their_bodies() {
    for source in sources(&["src/rpc"]) {
        for (number, line) in source.lines().filter(|(_, line)| line.contains("crate::server")) {
            let is_inside = line.starts_with("    ") && line.trim() == "use crate::server::door;";
            assert!(is_inside, "{}:{number}: {line}", source.path);
        }
    }
    assert_without(&["src/rpc"], &["crate::ui", "crate::boot", "sqlx::", "ServerFnError"]);
}

#[test]
fn services_know_no_framework_and_the_database_no_wire() {
    assert_without(
        &["src/server/service"],
        &["axum::", "leptos", "rmcp", "tower_sessions", "crate::rpc", "crate::ui"],
    );
    assert_without(&["src/server/service"], &["crate::server::http", "crate::server::door", "crate::boot"]);
    let db =
        ["crate::wire", "crate::server::service", "crate::server::http", "crate::rpc", "crate::ui", "axum::"];
    assert_without(&["src/server/db"], &db);
    assert_without(&["src/server"], &["crate::ui", "crate::rpc", "crate::boot"]);
}

#[test]
fn sql_stands_in_the_database_room_only() {
    for source in sources(&["src"]).iter().filter(|source| !source.is_in(&["src/server/db/"])) {
        for pattern in ["sqlx::query", "query_as!", "query_scalar!", "QueryBuilder", ".execute("] {
            let found = source.places(pattern, &[]);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
    for source in sources(&["src/server/db"]) {
        for pattern in
            ["format!(\"select", "format!(\"update", "format!(\"insert", "format!(\"delete", "AssertSqlSafe"]
        {
            assert!(source.places(pattern, &[]).is_empty(), "{}: SQL is static", source.path);
        }
    }
}

#[test]
fn transactions_begin_in_services_only() {
    for source in sources(&["src"]).iter().filter(|source| !source.is_in(&["src/server/service/"])) {
        for pattern in [".begin()", ".commit()"] {
            let found = source.places(pattern, &[]);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
}

#[test]
fn an_actions_status_changes_in_two_files_only() {
    // An erasure changes what an action says, and never where it is in its life.
    let elsewhere = ["src/server/db/actions.rs", "src/server/db/expiring.rs", "src/server/db/erasure.rs"];
    for source in sources(&["src"]).iter().filter(|source| !elsewhere.contains(&source.path.as_str())) {
        let found = source.places("update action ", &[]);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
    let erasure = sources(&["src/server/db/erasure.rs"]);
    let found = erasure[0].places("status", &[]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn builds_differ_in_three_files_only() {
    for source in sources(&["src"]) {
        if source.is_in(&["src/lib.rs", "src/main.rs", "src/ui/host.rs"]) {
            continue;
        }
        for pattern in ["cfg(", "cfg!(", "cfg_if", "cfg_attr"] {
            let found = source.places(pattern, &["cfg(test)"]);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
}

#[test]
fn html_enters_a_page_in_two_parts_only() {
    for source in sources(&["src"]) {
        if source.is_in(&["src/ui/parts/safe_html.rs", "src/ui/parts/text_area.rs"]) {
            continue;
        }
        let found = source.places("inner_html", &[]);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
    for source in sources(&["src/ui"]).iter().filter(|source| source.path != "src/ui/parts/text_area.rs") {
        assert!(source.places("<textarea", &[]).is_empty(), "{}: use TextArea, which escapes", source.path);
    }
}

#[test]
fn the_text_room_alone_vouches_for_html() {
    for source in sources(&["src"]).iter().filter(|source| !source.is_in(&["src/server/text/"])) {
        let found = source.places("SafeHtml::trusted", &[]);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn time_and_environment_are_asked_for_in_one_place_each() {
    for source in sources(&["src"]) {
        for (pattern, home) in [
            ("now_utc()", "src/server/clock.rs"),
            ("SystemTime::now", "src/server/clock.rs"),
            ("env::var(", "src/server/config/"),
        ] {
            if !source.is_in(&[home]) {
                let found = source.places(pattern, &[]);
                assert!(found.is_empty(), "{}", found.join("\n"));
            }
        }
    }
}

#[test]
fn suppressions_give_their_reason() {
    let allow = ["#[al", "low("].concat();
    let allow_all = ["#![al", "low("].concat();
    for source in sources(&["src", "tests"]) {
        for pattern in [&allow, &allow_all] {
            let found = source.places(pattern, &[]);
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
}

#[test]
fn instrumented_functions_log_no_arguments() {
    for source in sources(&["src"]) {
        let found =
            source.places("instrument", &["skip_all", "Instrument", ".instrument(", "mod instrument"]);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let too_long: BTreeMap<String, usize> = sources(&["src", "tests"])
        .into_iter()
        .map(|source| (source.path, source.text.lines().count()))
        .filter(|(_, lines)| *lines > 320)
        .collect();
    assert!(too_long.is_empty(), "split these: {too_long:?}");
    let silent: Vec<String> = sources(&["src"])
        .into_iter()
        .filter(|source| !source.text.starts_with("//!") && !source.path.ends_with("/tests.rs"))
        .map(|source| source.path)
        .collect();
    assert!(silent.is_empty(), "these begin without a word on what they own: {silent:?}");
}

#[test]
fn the_two_leptos_settings_agree() {
    let read = |name: &str| {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("readable");
        let section = text.split("[package.metadata.leptos]").nth(1).expect("the section").to_owned();
        let section = section.split("\n[").next().expect("its lines").to_owned();
        let pairs = section.lines().filter_map(|line| line.split_once('='));
        let pairs = pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
        pairs.collect::<BTreeMap<String, String>>()
    };
    let (cargo, leptos) = (read("Cargo.toml"), read("Leptos.toml"));
    for key in ["output-name", "site-root", "site-pkg-dir", "site-addr"] {
        assert!(cargo.contains_key(key) && cargo.get(key) == leptos.get(key), "{key}");
    }
}

#[test]
fn the_decoy_costs_what_a_real_password_costs() {
    let source =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/auth/passwords.rs"));
    let source = source.expect("readable");
    let hashes: Vec<&str> =
        source.split('"').filter(|text| text.starts_with("$argon2id$") && text.len() > 60).collect();
    assert_eq!(hashes.len(), 1, "one decoy");
    let decoy = argon2::PasswordHash::new(hashes[0]).expect("a hash");
    let params = argon2::Params::try_from(&decoy).expect("its costs");
    assert_eq!((params.m_cost(), params.t_cost(), params.p_cost()), (19_456, 2, 1));
    assert!(decoy.salt.is_some() && decoy.hash.is_some_and(|hash| hash.len() == 32));
}
