//! What was decided before, for who decides now: the latest of the kind, and what is the same or nearly the same.

use sqlx::PgConnection;
use time::Duration;

use crate::domain::Instant;
use crate::domain::action::Action;
use crate::domain::decision::Verdict;
use crate::domain::likeness::Shape;
use crate::server::db;
use crate::server::db::context::PastAction;
use crate::server::db::people::Member;
use crate::server::error::ServiceResult;
use crate::server::view::{self, Reader};
use crate::wire::context::CardContext;

/// A decision about the very same content is told for so long.
pub(super) const SAME_FOR: Duration = Duration::days(30);
/// So many of the latest of the kind are compared.
const COMPARED: i64 = 20;
/// So many of the agent's own are shown.
const SHOWN: u8 = 5;

/// What a decider may want to know of the past. Costs two statements and twenty comparisons of short texts.
///
/// # Errors
/// If the database can't be reached.
pub(super) async fn before(
    conn: &mut PgConnection,
    member: &Member,
    action: &Action,
    reader: &Reader,
) -> ServiceResult<CardContext> {
    let now = reader.now;
    let project = member.project;
    let digest = [action.content_sha256];
    let same = db::context::same_content(conn, project, &digest, now - SAME_FOR).await?.pop();
    let kind = action.content.kind.as_str();
    let recent =
        db::context::recent_of_kind(conn, project, kind, &action.agent, (COMPARED, SHOWN.into())).await?;
    let nearly = nearly_rejected(action, &recent, now - SAME_FOR);
    let own = recent.iter().filter(|past| past.agent == action.agent).take(SHOWN.into());
    let past = |past: &PastAction| view::context::past(past, member.id, reader);
    let alike = same.iter().map(|same| view::context::alike(true, past(same)));
    let alike = alike.chain(nearly.map(|near| view::context::alike(false, past(near))));
    Ok(CardContext { alike: alike.collect(), past: own.map(past).collect() })
}

/// The latest rejected one that is nearly the same. One that was approved is not told: whoever sends a letter a day
/// from a form sends nearly the same every day, and a sentence that is always there is never read.
fn nearly_rejected<'a>(action: &Action, recent: &'a [PastAction], since: Instant) -> Option<&'a PastAction> {
    let payload = action.content.payload.as_ref().map(ToString::to_string).unwrap_or_default();
    let title = action.content.title.as_str();
    let shape = Shape::of(&format!("{title} {} {payload}", action.content.preview.body));
    recent
        .iter()
        .filter(|past| past.verdict == Verdict::Reject && past.decided_at >= since)
        .filter(|past| past.content_sha256 != action.content_sha256)
        .find(|past| {
            let text = past.text.as_ref().map(|text| Shape::of(&format!("{} {text}", past.title)));
            text.is_some_and(|text| shape.is_nearly(&text))
        })
}
