//! The list of the inbox: one page of one tab, and what is looked for in it.

use super::looked_for::{self, LookedFor};
use super::{Services, cursor};
use crate::domain::Instant;
use crate::domain::ids::ActionId;
use crate::domain::role::Role;
use crate::server::db::finding::{self, ActionFilter, Order, Place};
use crate::server::db::people::Member;
use crate::server::error::ServiceResult;
use crate::server::zone::Zone;
use crate::server::{db, view};
use crate::wire::inbox::{InboxFilter, InboxView, NextCard, Welcome};

/// Rows on one page.
const PAGE: u32 = 50;
/// What is counted beside the tabs is counted so far.
const TAB_CAP: u32 = 100;
/// Kinds and agents to choose from.
const CHOICES: i64 = 50;

/// What was found for a page of the inbox.
#[derive(Default)]
struct Found {
    listed: Vec<db::listing::ListedAction>,
    next_cursor: Option<String>,
    counts: Vec<finding::StatusCount>,
    seen: Option<String>,
    newer: u32,
}

impl Services {
    /// One page of a tab. With `seen`, the newest action that the reader was shown before, the first page ends there
    /// and what came after it is only counted. `fresh_key` is shown in the welcome while there was never an action.
    ///
    /// A filter that can't be read is said to be so and finds nothing.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn inbox(
        &self,
        member: &Member,
        filter: &InboxFilter,
        seen: Option<&str>,
        fresh_key: Option<String>,
    ) -> ServiceResult<InboxView> {
        let reader = self.reader(member);
        let now = reader.now;
        let project = member.project;
        let read = looked_for::read(filter, &Zone::of(member));
        // What a page of ours sent is read again or was never ours.
        let seen = seen.and_then(|text| cursor::parse(text).ok());
        let mut found = Found::default();
        if let Ok(looked_for) = &read {
            found = self.find_in_inbox(member, looked_for, seen, now).await?;
        }
        let mut conn = self.pool.acquire().await?;
        let trouble = db::channel_messages::in_trouble(&mut conn, project).await?;
        let is_first_page = filter.cursor.is_none() && seen.is_none();
        let waiting = u32::try_from(found.listed.len()).unwrap_or(PAGE);
        let is_all = filter.tab() == "pending" && !filter.is_narrow() && is_first_page;
        let pending = match found.next_cursor {
            None if is_all && read.is_ok() => waiting,
            _ => {
                let cap = InboxView::COUNT_CAP;
                let count = db::listing::count_pending(&mut conn, project, now, cap.into()).await?;
                u32::try_from(count).unwrap_or(cap)
            }
        };
        let soon = now + time::Duration::minutes(InboxView::SOON);
        let cap = InboxView::NEWER_CAP;
        let (running_out, next) = db::listing::running_out(&mut conn, project, now, soon, cap.into()).await?;
        let kinds = db::listing::kinds(&mut conn, project, CHOICES).await?;
        let agents = db::listing::agents(&mut conn, project, CHOICES).await?;
        drop(conn);
        let word = read.as_ref().ok().and_then(|looked_for| looked_for.word.as_deref());
        // Whatever was proposed is of a kind.
        let welcome = kinds
            .is_empty()
            .then(|| Welcome { command: self.first_command(fresh_key.as_deref()), key: fresh_key });
        Ok(InboxView {
            first_id: found.listed.first().map(|first| first.id.to_string()),
            rows: found.listed.into_iter().map(|action| view::inbox::row(action, word, &reader)).collect(),
            next_cursor: found.next_cursor,
            pending,
            tabs: view::inbox::tabs(&found.counts, (!filter.is_narrow()).then_some(pending)),
            seen: found.seen,
            newer: found.newer,
            running_out: u32::try_from(running_out).unwrap_or(cap),
            // A moment after it, so that whoever looks then sees it.
            more_run_out_in: next.map(|next| (next - soon).whole_seconds() + 1),
            may_decide: member.role.allows(Role::Reviewer),
            may_manage: member.role.allows(Role::Admin),
            kinds,
            agents,
            trouble: trouble.into_iter().map(view::channels::trouble).collect(),
            problem: read.err().map(str::to_owned),
            welcome,
        })
    }

    /// What waits next after an action that is past deciding, in the list that the filter stands for; what is first in it,
    /// if nothing comes after.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn next_waiting(
        &self,
        member: &Member,
        filter: &InboxFilter,
        id: &str,
    ) -> ServiceResult<Option<NextCard>> {
        let waiting = InboxFilter { status: None, cursor: None, ..filter.clone() };
        let read = looked_for::read(&waiting, &Zone::of(member));
        let (Ok(LookedFor { narrow, order, tab, .. }), Ok(id)) = (read, id.parse::<ActionId>()) else {
            return Ok(None);
        };
        let (project, now) = (member.project, self.clock.now());
        let mut tx = self.pool.begin().await?;
        let before = finding::place_of(&mut tx, project, id, order).await?;
        let sample = finding::sample(&mut tx, project, &narrow, now).await?;
        let sample = sample.as_ref();
        let all = ActionFilter { statuses: vec![tab], ..narrow };
        let rest = ActionFilter { before, ..all.clone() };
        let mut next = finding::first(&mut tx, project, &rest, order, sample, now, 1).await?.pop();
        if next.is_none() {
            next = finding::first(&mut tx, project, &all, order, sample, now, 1).await?.pop();
        }
        let listed = match next {
            Some((_, id)) => db::listing::listed(&mut tx, project, &[id], None).await?.pop(),
            None => None,
        };
        tx.commit().await?;
        Ok(listed.map(view::inbox::next))
    }

    async fn find_in_inbox(
        &self,
        member: &Member,
        looked_for: &LookedFor,
        seen: Option<Place>,
        now: Instant,
    ) -> ServiceResult<Found> {
        let project = member.project;
        let (any_tab, order) = (&looked_for.narrow, looked_for.order);
        let tab = ActionFilter { statuses: vec![looked_for.tab], ..any_tab.clone() };
        // What came after the reader's list is known by when it came, which need not be where it stands.
        let (page, by) = match (order, seen) {
            (Order::Due, seen) => {
                let until = seen.map(|(at, _)| any_tab.until.map_or(at, |until| until.min(at)));
                let until = until.or(any_tab.until);
                (ActionFilter { before: looked_for.before, until, ..tab.clone() }, Order::Newest)
            }
            _ => (ActionFilter { before: looked_for.before.or(seen.map(just_after)), ..tab.clone() }, order),
        };
        let mut tx = self.pool.begin().await?;
        let sample = finding::sample(&mut tx, project, any_tab, now).await?;
        let sample = sample.as_ref();
        let mut places =
            finding::first(&mut tx, project, &page, order, sample, now, i64::from(PAGE) + 1).await?;
        let has_more = places.len() > PAGE as usize;
        places.truncate(PAGE as usize);
        let (mut newer, mut newest) = (0, seen.or(places.first().copied()));
        if let Some(seen) = seen {
            let after = if order == by { seen } else { just_before(seen) };
            let after = ActionFilter { after: Some(after), ..tab };
            let cap = i64::from(InboxView::NEWER_CAP);
            newer = finding::first(&mut tx, project, &after, by, sample, now, cap).await?.len();
        } else if looked_for.before.is_some() || order != by {
            newest = finding::first(&mut tx, project, &tab, by, sample, now, 1).await?.pop();
        }
        let counts = finding::counts(&mut tx, project, any_tab, sample, now, TAB_CAP.into()).await?;
        let ids: Vec<ActionId> = places.iter().map(|(_, id)| *id).collect();
        let listed = match ids.is_empty() {
            true => Vec::new(),
            false => db::listing::listed(&mut tx, project, &ids, looked_for.word.as_deref()).await?,
        };
        tx.commit().await?;
        let write = |(at, id): Place| cursor::write(at, id);
        Ok(Found {
            listed,
            next_cursor: places.last().filter(|_| has_more).copied().map(write),
            counts,
            seen: newest.map(write),
            newer: u32::try_from(newer).unwrap_or(InboxView::NEWER_CAP),
        })
    }
}

/// The last place of an instant: what is newer came later.
fn just_before((at, _): Place) -> Place {
    (at, ActionId::from_uuid(uuid::Uuid::max()))
}

/// The place after which a list begins with this action.
fn just_after((at, id): Place) -> Place {
    let next = id.uuid().as_u128().saturating_add(1);
    (at, ActionId::from_uuid(uuid::Uuid::from_u128(next)))
}
