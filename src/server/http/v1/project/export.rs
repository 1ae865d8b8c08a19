//! The export of a project, written while it is read.

use axum::body::{Body, Bytes};
use futures::future;
use futures::stream::{self, Stream, StreamExt as _};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::domain::ids::ActionId;
use crate::server::db::facts::EventFilter;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::http::paged::{Written, pages};
use crate::server::service::{Export, Services, Viewed};
use crate::server::view;
use crate::wire::v1;

/// Facts on one page; those about edits may be large.
const EVENTS: u32 = 25;

/// A [`v1::ProjectExport`], member by member.
pub(super) fn body(services: Services, export: Export) -> Body {
    let head = future::ready(head(&export));
    let (actions, decisions, events) = (services.clone(), services.clone(), services);
    let (project, at, filter) = (export.project.id, export.at, export.events);
    let nil = ActionId::from_uuid(Uuid::nil());

    let actions = member("actions", nil, move |after| {
        let services = actions.clone();
        async move {
            let page = services.export_actions(project, after, at).await?;
            let next = page.last().map(|action| action.id);
            let url = services.public_url();
            let rows =
                page.into_iter().map(|action| view::api::action(Viewed { action, delivery: None }, url, at));
            Ok((rows.collect::<Vec<_>>(), next))
        }
    });
    let decisions = member("decisions", nil, move |after| {
        let services = decisions.clone();
        async move {
            let page = services.export_decisions(project, after, at).await?;
            let next = page.last().map(|(action, _)| *action);
            let rows = page.into_iter().map(|(action, decision)| view::project::decision(action, decision));
            Ok((rows.collect::<Vec<_>>(), next))
        }
    });
    let events = member("audit_log", filter, move |filter| {
        let services = events.clone();
        async move {
            let page = services.events(project, &filter, EVENTS).await?;
            let next = page.next.map(|next| EventFilter { before: Some(next), ..filter });
            Ok((page.events.into_iter().map(view::audit::event).collect::<Vec<_>>(), next))
        }
    });
    let end = future::ready(Ok(Bytes::from_static(b"}")));
    let all = stream::once(head).chain(actions).chain(decisions).chain(events).chain(stream::once(end));
    Body::from_stream(all)
}

/// What is small, at once: everything before the first page, without the closing brace.
fn head(export: &Export) -> ServiceResult<Bytes> {
    let keys: Vec<v1::Key> = export.keys.iter().cloned().map(view::keys::key).collect();
    let people = export.people.iter().cloned();
    let people: Vec<v1::Person> =
        people.map(|(member, accounts)| view::project::person(member, accounts)).collect();
    let channels: Vec<v1::NotificationChannel> =
        export.channels.iter().cloned().map(view::channels::channel).collect();
    let members = [
        ("exported_at", text(&export.at.unix_timestamp())?),
        ("project", text(&view::project::project(&export.project))?),
        ("keys", text(&keys)?),
        ("people", text(&people)?),
        ("channels", text(&channels)?),
        ("watchers", text(&[Value::Null; 0])?),
    ];
    let members: Vec<String> =
        members.into_iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    Ok(Bytes::from(format!("{{{}", members.join(","))))
}

/// One member that is a list, with the comma before it, page by page: a page without a row is the end.
fn member<C, R, F>(
    name: &'static str,
    first: C,
    mut read: impl FnMut(C) -> F + Send + 'static,
) -> impl Stream<Item = ServiceResult<Bytes>> + Send
where
    C: Send + 'static,
    R: Serialize + Send,
    F: Future<Output = ServiceResult<(Vec<R>, Option<C>)>> + Send + 'static,
{
    pages((first, true), move |(cursor, is_first)| {
        let page = read(cursor);
        async move {
            let (rows, next) = page.await?;
            let mut written = if is_first { format!(",\"{name}\":[") } else { String::new() };
            for (index, row) in rows.iter().enumerate() {
                let comma = if is_first && index == 0 { "" } else { "," };
                written.push_str(comma);
                written.push('\n');
                written.push_str(&text(row)?);
            }
            let next = next.filter(|_| !rows.is_empty());
            if next.is_none() {
                written.push(']');
            }
            Ok(Written { bytes: written.into_bytes(), next: next.map(|next| (next, false)) })
        }
    })
}

fn text<T: Serialize + ?Sized>(value: &T) -> ServiceResult<String> {
    serde_json::to_string(value).map_err(|error| ServiceError::Internal(Box::new(error)))
}
