//! Deciding several actions at once, in two steps: a page that shows them, and a form that says which.
//!
//! Nothing is approved that was not shown whole, and what an approval could do more harm with than others is approved
//! only where it was ticked by itself. Each decision is made by the same code as a decision alone.

use std::collections::BTreeSet;

use super::Services;
use super::context::SAME_FOR;
use crate::domain::action::{Action, Status};
use crate::domain::decision::Verdict;
use crate::domain::ids::ActionId;
use crate::domain::role::Role;
use crate::server::db::context::PastAction;
use crate::server::db::people::Member;
use crate::server::error::ServiceResult;
use crate::server::view::many::is_whole;
use crate::server::{db, view};
use crate::wire::card::{DecideForm, EditTexts};
use crate::wire::error::UiError;
use crate::wire::many::{MANY_MAX, ManyDone, ManyOutcome, ManySent, ManyView, NotDecided};

impl Services {
    /// Shows what is about to be decided. What is wrong with the address is said.
    ///
    /// # Errors
    /// If the person's role does not allow deciding.
    pub async fn many(&self, member: &Member, verdict: &str, ids: &[String]) -> ServiceResult<ManyView> {
        member.require(Role::Reviewer)?;
        let reader = self.reader(member);
        let mut view = ManyView { verdict: verdict.to_owned(), ..ManyView::default() };
        let listed = ids;
        let ids: BTreeSet<&String> = ids.iter().collect();
        let problem = match (Verdict::from_text(verdict), ids.len()) {
            (None, _) => Some("It is not said whether to approve or to reject. Choose again in the inbox."),
            (_, 0) => Some("Nothing is selected. Tick what you want to decide in the inbox."),
            (_, count) if count > MANY_MAX => Some("At most 50 can be decided at once. Select fewer."),
            _ => None,
        };
        if let Some(problem) = problem {
            view.problem = Some(problem.to_owned());
            return Ok(view);
        }
        let known: Vec<ActionId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
        let (actions, same) = self.read_many(member, &known).await?;
        for id in ids {
            let action = actions.iter().find(|action| action.id.to_string() == *id);
            match action {
                Some(action) if action.status(reader.now) == Status::Pending => {
                    let same = same.iter().find(|past| past.content_sha256 == action.content_sha256);
                    let item = view::many::item(action, same, member.id, &reader);
                    let group = match verdict == Verdict::Approve.as_str() {
                        true if item.rest.is_some() => &mut view.long,
                        true if !item.reasons.is_empty() => &mut view.special,
                        _ => &mut view.plain,
                    };
                    group.push(item);
                }
                other => view.gone.push(view::many::gone(id, other, member.id, &reader)),
            }
        }
        // As the list has them: a browser sends them in the order in which they stand there.
        for group in [&mut view.plain, &mut view.special, &mut view.long] {
            group.sort_by_key(|item| listed.iter().position(|id| *id == item.id));
        }
        Ok(view)
    }

    /// Decides what was ticked, one after the other; what can't be decided stops none of the others.
    ///
    /// # Errors
    /// If the person's role does not allow deciding, or the form is none of ours.
    pub async fn decide_many(&self, member: &Member, sent: &ManySent) -> Result<ManyOutcome, UiError> {
        member.require(Role::Reviewer)?;
        let now = self.clock.now();
        let verdict = Verdict::from_text(&sent.verdict).ok_or(UiError::BadRequest)?;
        let ticked = sent.picks.iter().map(|(id, seen)| (id, (seen, false)));
        // A form names each id once; whatever names one twice gets the tick that counts for more.
        let ticked = ticked.filter(|(id, _)| !sent.own.contains_key(*id));
        let own = sent.own.iter().map(|(id, seen)| (id, (seen, true)));
        let mut asked: Vec<(&String, Option<(&String, bool)>)> =
            ticked.chain(own).map(|(id, tick)| (id, Some(tick))).collect();
        let unticked = sent.shown.iter().filter(|id| asked.iter().all(|(other, _)| other != id));
        let unticked: Vec<_> = unticked.map(|id| (id, None)).collect();
        asked.extend(unticked);
        if asked.len() > MANY_MAX {
            return Err(UiError::BadRequest);
        }
        // Ids are made in the order of their proposals; that is the order in which an agent expects them.
        asked.sort_by_key(|(id, _)| id.parse::<ActionId>().ok());
        let known: Vec<ActionId> = asked.iter().filter_map(|(id, _)| id.parse().ok()).collect();
        let (actions, same) = self.read_many(member, &known).await?;
        let mut outcome = ManyOutcome::default();
        for (id, tick) in asked {
            let action = actions.iter().find(|action| action.id.to_string() == *id);
            let refusal = match (tick, action) {
                (None, _) => Some(NotDecided::Unticked),
                (Some(_), None) => Some(NotDecided::Refused(UiError::NotFound)),
                (Some((seen, is_own)), Some(action)) => {
                    let same = same.iter().find(|past| past.content_sha256 == action.content_sha256);
                    // What is past deciding says so itself.
                    let is_approval = verdict == Verdict::Approve && action.status(now) == Status::Pending;
                    if let Some(reason) = is_approval.then(|| stands_back(action, same, is_own)).flatten() {
                        Some(reason)
                    } else {
                        // This page is the second look, with a tick of its own where one is needed.
                        let form = DecideForm {
                            id: id.clone(),
                            seen: seen.clone(),
                            verdict: sent.verdict.clone(),
                            comment: sent.comment.clone(),
                            edits: EditTexts::new(),
                            sure: true,
                        };
                        self.decide_in_inbox(member, &form).await.err().map(NotDecided::Refused)
                    }
                }
            };
            outcome.items.push((id.clone(), refusal));
        }
        Ok(outcome)
    }

    /// What became of several actions, as it is now. `items` are the ids and what was said about them, which came
    /// through the address bar: it can say why something was not decided, and never that it was.
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn many_done(
        &self,
        member: &Member,
        items: &[(String, Option<NotDecided>)],
    ) -> ServiceResult<ManyDone> {
        let reader = self.reader(member);
        let items = &items[..items.len().min(MANY_MAX)];
        let known: Vec<ActionId> = items.iter().filter_map(|(id, _)| id.parse().ok()).collect();
        let (actions, _) = self.read_many(member, &known).await?;
        let mut done = ManyDone::default();
        for (id, reason) in items {
            let action = actions.iter().find(|action| action.id.to_string() == *id);
            let item = view::many::done(id, action, reason.as_ref(), member.id, &reader);
            let is_decided = reason.is_none() && item.now.by.as_deref() == Some("you");
            if is_decided { &mut done.decided } else { &mut done.left }.push(item);
        }
        Ok(done)
    }

    /// The actions, newest first, and the latest decisions about the same contents.
    async fn read_many(
        &self,
        member: &Member,
        ids: &[ActionId],
    ) -> ServiceResult<(Vec<Action>, Vec<PastAction>)> {
        let mut conn = self.pool.acquire().await?;
        let actions = db::listing::by_ids(&mut conn, member.project, ids).await?;
        let digests: Vec<_> = actions.iter().map(|action| action.content_sha256).collect();
        let since = self.clock.now() - SAME_FOR;
        let same = db::context::same_content(&mut conn, member.project, &digests, since).await?;
        Ok((actions, same))
    }
}

/// Why an action is not approved together with others although it was ticked.
fn stands_back(action: &Action, same: Option<&PastAction>, is_own_tick: bool) -> Option<NotDecided> {
    if !is_whole(&action.content) {
        return Some(NotDecided::TooLong);
    }
    (!is_own_tick && view::many::is_special(action, same)).then_some(NotDecided::OwnTick)
}
