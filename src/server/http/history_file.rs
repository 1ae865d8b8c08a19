//! Facts of the history as a file: lines of JSON, or a table. Written while it is read.

use axum::body::Body;
use csv::{Terminator, WriterBuilder};

use super::paged::{Written, pages};
use crate::domain::ids::ProjectId;
use crate::server::db::facts::EventFilter;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::service::Services;
use crate::server::view::audit::{COLUMNS, event, row};
use crate::wire::v1;
use crate::wire::v1::ExportFormat;

/// Facts that are read at a time; those about edits may be large.
const BATCH: u32 = 50;

/// The facts that pass a filter, batch by batch. No connection is held while the caller reads.
pub fn file(services: Services, project: ProjectId, filter: EventFilter, format: ExportFormat) -> Body {
    Body::from_stream(pages((filter, true), move |(filter, is_first)| {
        let services = services.clone();
        async move {
            let batch = services.events(project, &filter, BATCH).await?;
            let next = batch.next.map(|next| (EventFilter { before: Some(next), ..filter }, false));
            let facts = batch.events.into_iter().map(event);
            let bytes = match format {
                ExportFormat::Json => lines(facts),
                ExportFormat::Csv => table(facts, is_first),
            };
            Ok(Written { bytes: bytes?, next })
        }
    }))
}

fn lines(facts: impl Iterator<Item = v1::AuditEvent>) -> ServiceResult<Vec<u8>> {
    let mut bytes = Vec::new();
    for fact in facts {
        serde_json::to_writer(&mut bytes, &fact).map_err(|error| ServiceError::Internal(Box::new(error)))?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn table(facts: impl Iterator<Item = v1::AuditEvent>, with_head: bool) -> ServiceResult<Vec<u8>> {
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    let failed = |error: csv::Error| ServiceError::Internal(Box::new(error));
    if with_head {
        writer.write_record(COLUMNS).map_err(failed)?;
    }
    for fact in facts {
        writer.write_record(row(fact)).map_err(failed)?;
    }
    writer.into_inner().map_err(|error| ServiceError::Internal(error.to_string().into()))
}
