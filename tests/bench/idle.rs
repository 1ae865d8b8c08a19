//! What the server weighs.

use anyhow::Context as _;
use serde_json::json;

use crate::report::Row;
use crate::settings::Settings;

const TARGET_MB: f64 = 60.0;

/// Takes the server as it is when nobody has asked it for anything yet.
pub async fn measure(settings: &Settings) -> anyhow::Result<Vec<Row>> {
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let megabytes = resident_mb(settings.pid)?;
    Ok(vec![Row {
        name: "server, idle".to_owned(),
        measured: format!("{megabytes:.0} MB"),
        limit: String::new(),
        ratio: None,
        target: format!("≤ {TARGET_MB:.0} MB"),
        is_ok: megabytes <= TARGET_MB,
        details: json!({"rss_mb": megabytes}),
    }])
}

/// The resident memory of a process.
pub fn resident_mb(pid: u32) -> anyhow::Result<f64> {
    let output = std::process::Command::new("ps").args(["-o", "rss=", "-p", &pid.to_string()]).output()?;
    let kilobytes: f64 =
        String::from_utf8_lossy(&output.stdout).trim().parse().context("the server's process is gone")?;
    Ok(kilobytes / 1024.0)
}
