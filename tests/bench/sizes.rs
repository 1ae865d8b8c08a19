//! What a browser loads at its first visit, as the server sends it to a browser that takes brotli.

use std::collections::BTreeSet;

use anyhow::{Context as _, ensure};
use serde_json::{Map, Value, json};

use crate::http::Connection;
use crate::report::Row;
use crate::requests::{browse, sign_in};
use crate::settings::Settings;

const WASM_TARGET: u64 = 220 * 1024;
const VISIT_TARGET: u64 = 320 * 1024;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    let mut connection = Connection::open(settings.address).await?;
    let cookie = sign_in(&mut connection, settings).await?;
    let page = connection.exchange(&browse("/inbox", &cookie, "identity")).await?;
    ensure!(page.status == 200, "the inbox was answered with {}", page.status);
    let mut paths = linked(&page.text());
    // The module that starts the page names what it imports.
    let start =
        paths.iter().find(|path| path.starts_with("/pkg/start.")).context("the page starts no module")?;
    let module = connection.exchange(&browse(start, &cookie, "identity")).await?;
    let imports: Vec<String> = imported(&module.text());
    paths.extend(imports);
    paths.insert("/inbox".to_owned());

    let mut sizes = Map::new();
    for path in &paths {
        let reply = connection.exchange(&browse(path, &cookie, "br")).await?;
        ensure!(reply.status == 200, "{path} was answered with {}", reply.status);
        sizes.insert(path.clone(), reply.body.len().into());
    }
    let size_of = |is_meant: &dyn Fn(&str) -> bool| -> u64 {
        sizes.iter().filter(|(path, _)| is_meant(path)).filter_map(|(_, size)| size.as_u64()).sum()
    };
    let wasm = size_of(&|path| path.split('.').next_back() == Some("wasm"));
    let visit = size_of(&|_| true);
    Ok(vec![
        row("wasm, brotli", wasm, WASM_TARGET, json!({"bytes": wasm})),
        row("first visit, brotli", visit, VISIT_TARGET, json!({"bytes": visit, "files": sizes})),
    ])
}

fn row(name: &str, bytes: u64, target: u64, details: Value) -> Row {
    let kilobytes = |bytes: u64| format!("{} KB", bytes.div_ceil(1024));
    Row {
        name: name.to_owned(),
        measured: kilobytes(bytes),
        limit: String::new(),
        ratio: None,
        target: format!("≤ {}", kilobytes(target)),
        is_ok: bytes <= target,
        details,
    }
}

/// The files that a page's head names, without the icon that only a home screen loads.
fn linked(page: &str) -> BTreeSet<String> {
    let head = page.split("</head>").next().unwrap_or_default();
    head.split('<')
        .filter(|tag| tag.starts_with("link") || tag.starts_with("script"))
        .filter(|tag| !tag.contains("apple-touch-icon"))
        .filter_map(|tag| ["href=\"/", "src=\"/"].iter().find_map(|name| tag.split_once(name)))
        .filter_map(|(_, rest)| rest.split('"').next())
        .map(|path| format!("/{path}"))
        .collect()
}

/// The files beside it that a module names.
fn imported(module: &str) -> Vec<String> {
    let names = module.split("\"./").skip(1).filter_map(|rest| rest.split('"').next());
    names.map(|name| format!("/pkg/{name}")).collect()
}
