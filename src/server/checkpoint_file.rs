//! A file outside the database that every checkpoint is appended to, so that somebody who can write the database can't
//! take back what was signed.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use super::db::checkpoints::StoredCheckpoint;
use super::proof::Line;
use super::receipts::unverified_checkpoint;
use crate::domain::ids::ProjectId;

/// The open file, and how far it goes.
#[derive(Debug)]
pub struct CheckpointFile {
    file: File,
    known: BTreeMap<ProjectId, i64>,
}

impl CheckpointFile {
    /// Opens the file, or makes it, and reads what it holds.
    ///
    /// # Errors
    /// If it can't be read or written.
    pub async fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).await?;
        let mut known = BTreeMap::new();
        let mut lines = BufReader::new(&mut file);
        let mut bytes = Vec::new();
        let mut is_whole = true;
        while lines.read_until(b'\n', &mut bytes).await? > 0 {
            is_whole = bytes.ends_with(b"\n");
            if let Ok(Line::Checkpoint(line)) = serde_json::from_slice(&bytes)
                && let Some(checkpoint) = unverified_checkpoint(&line.jws)
            {
                let seq = known.entry(checkpoint.project).or_insert(0);
                *seq = checkpoint.count.max(*seq);
            }
            bytes.clear();
        }
        if !is_whole {
            // The machine stopped in the middle of a line; what it was to say is appended again.
            file.write_all(b"\n").await?;
        }
        Ok(Self { file, known })
    }

    /// Up to which event of which project the file has checkpoints.
    pub fn known(&self) -> Vec<(ProjectId, i64)> {
        self.known.iter().map(|(project, seq)| (*project, *seq)).collect()
    }

    /// Appends checkpoints, and waits until the disk has them.
    ///
    /// # Errors
    /// If they can't be written; then a part of them may be.
    pub async fn append(&mut self, checkpoints: &[StoredCheckpoint]) -> io::Result<()> {
        let mut text = String::new();
        for checkpoint in checkpoints {
            text.push_str(&Line::checkpoint(checkpoint.jws.clone()).to_text()?);
        }
        self.file.write_all(text.as_bytes()).await?;
        self.file.sync_data().await?;
        for checkpoint in checkpoints {
            let seq = self.known.entry(checkpoint.project).or_insert(0);
            *seq = checkpoint.seq.max(*seq);
        }
        Ok(())
    }
}
