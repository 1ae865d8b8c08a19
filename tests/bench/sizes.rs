//! What a browser loads at its first visit, as the server sends it to a browser that takes brotli.

use std::collections::BTreeSet;

use anyhow::{Context as _, ensure};
use serde_json::{Map, Value, json};

use crate::http::Connection;
use crate::report::Row;
use crate::requests::{browse, sign_in};
use crate::settings::Settings;

const WASM_TARGET: usize = 220 * 1024;
const VISIT_TARGET: usize = 320 * 1024;

pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    let mut connection = Connection::open(settings.address).await?;
    let cookie = sign_in(&mut connection, settings).await?;
    let page = connection.exchange(&browse("/inbox", &cookie, "identity")).await?;
    ensure!(page.status == 200, "the inbox was answered with {}", page.status);
    let mut paths = linked(&page.text());
    let assets = std::fs::read(settings.site.join("assets.json")).context("the site has no assets.json")?;
    let assets: Map<String, Value> = serde_json::from_slice(&assets)?;
    paths.extend(assets.values().filter_map(|asset| asset["path"].as_str().map(str::to_owned)));
    paths.insert("/inbox".to_owned());

    let mut sizes = Map::new();
    for path in &paths {
        let reply = connection.exchange(&browse(path, &cookie, "br")).await?;
        ensure!(reply.status == 200, "{path} was answered with {}", reply.status);
        sizes.insert(path.clone(), reply.body.len().into());
    }
    let size = |path: &str| sizes.get(path).and_then(Value::as_u64).and_then(|size| usize::try_from(size).ok());
    let wasm = assets["impri.wasm"]["path"].as_str().and_then(size).context("the site has no wasm")?;
    let raw = assets["impri.wasm"]["raw"].as_u64().unwrap_or_default();
    let visit: usize = paths.iter().filter_map(|path| size(path)).sum();
    Ok(vec![
        row("wasm, brotli", wasm, WASM_TARGET, json!({"bytes": wasm, "raw_bytes": raw})),
        row("first visit, brotli", visit, VISIT_TARGET, json!({"bytes": visit, "files": sizes})),
    ])
}

fn row(name: &'static str, bytes: usize, target: usize, details: Value) -> Row {
    let kilobytes = |bytes: usize| format!("{} KB", bytes.div_ceil(1024));
    Row {
        name,
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
