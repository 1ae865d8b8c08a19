//! The table and the file.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

/// One line of the table.
pub struct Row {
    pub name: String,
    /// What was measured, with its unit.
    pub measured: String,
    /// What the same machine gave at the same time without what is measured; empty if there is no such thing.
    pub limit: String,
    /// The measured number as a share or a multiple of the limit.
    pub ratio: Option<f64>,
    pub target: String,
    pub is_ok: bool,
    /// All numbers.
    pub details: Value,
}

/// What has been measured so far.
pub struct Report {
    rows: Vec<Row>,
    load_before: Option<f64>,
}

impl Report {
    pub fn new() -> Self {
        Self { rows: Vec::new(), load_before: load_average() }
    }

    pub fn add(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
    }

    pub fn print(&self) -> anyhow::Result<()> {
        let mut table =
            vec![["what", "measured", "limit in this run", "ratio", "target", ""].map(str::to_owned)];
        table.extend(self.rows.iter().map(|row| {
            let ratio = row.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default();
            let verdict = if row.is_ok { "ok" } else { "OVER" };
            [
                row.name.clone(),
                row.measured.clone(),
                row.limit.clone(),
                ratio,
                row.target.clone(),
                verdict.into(),
            ]
        }));
        let width =
            |column: usize| table.iter().map(|line| line[column].chars().count()).max().unwrap_or_default();
        let widths: Vec<usize> = (0..6).map(width).collect();
        let mut out = std::io::stdout().lock();
        for line in &table {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            writeln!(out, "{}", cells.join("  ").trim_end())?;
        }
        Ok(())
    }

    pub fn write_json(&self, file: &Path) -> anyhow::Result<()> {
        let rows: Vec<Value> = self.rows.iter().map(json_of).collect();
        let cpus = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
        let machine = json!({
            "cpus": cpus, "os": std::env::consts::OS, "arch": std::env::consts::ARCH,
            "load_average_before": self.load_before,
        });
        let whole = json!({"impri": env!("CARGO_PKG_VERSION"), "machine": machine, "rows": rows});
        std::fs::write(file, format!("{whole:#}\n"))?;
        Ok(())
    }
}

fn json_of(row: &Row) -> Value {
    json!({
        "name": row.name, "measured": row.measured, "limit": row.limit, "ratio": row.ratio, "target": row.target,
        "ok": row.is_ok, "details": row.details,
    })
}

/// How busy the machine was with other things, where that can be read.
fn load_average() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}
