//! The inbox of a signed-in reviewer: one card, and the decision made there. The list is in [`super::inbox_page`].

use serde_json::{Map, Number, Value};

use super::Services;
use crate::domain::action::{Action, Intent, Refusal, Status};
use crate::domain::content::ContentDigest;
use crate::domain::decision::{Channel, Decider, Verdict};
use crate::domain::editable::{Edit, EditRefusal, EditablePath, check_edits};
use crate::domain::ids::ActionId;
use crate::domain::role::Role;
use crate::domain::text::Comment;
use crate::server::db::people::Member;
use crate::server::error::{ServiceError, ServiceResult};
use crate::server::{db, view};
use crate::wire::card::{Card, DecideForm, EditTexts, Outcome, SecondLook};
use crate::wire::context::CardContext;
use crate::wire::error::{EditProblem, UiError};
use crate::wire::inbox::InboxView;

impl Services {
    /// How many actions wait, counted up to [`InboxView::COUNT_CAP`].
    ///
    /// # Errors
    /// If the database can't be reached.
    pub async fn count_pending(&self, member: &Member) -> ServiceResult<u32> {
        let now = self.clock.now();
        let mut conn = self.pool.acquire().await?;
        let cap = InboxView::COUNT_CAP;
        let count = db::listing::count_pending(&mut conn, member.project, now, cap.into()).await?;
        Ok(u32::try_from(count).unwrap_or(cap))
    }

    /// A shell command that proposes a first action to this server.
    pub(super) fn first_command(&self, key: Option<&str>) -> String {
        let url = &self.public_url;
        let key = key.unwrap_or("im_…");
        format!(
            "curl -s {url}/v1/actions \\\n  -H \"Authorization: Bearer {key}\" \\\n  -d '{{\"kind\": \"email.send\", \
             \"title\": \"Welcome mail to Sarah\", \"editable\": [\"preview.body\"],\n       \"preview\": \
             {{\"format\": \"markdown\", \"body\": \"Hi Sarah,\\n\\nyour account is **ready**.\"}}}}'"
        )
    }

    /// One action, whole; while it waits, with what was decided before.
    ///
    /// # Errors
    /// If the project has no such action.
    pub async fn card(&self, member: &Member, id: &str) -> ServiceResult<Card> {
        let id: ActionId = id.parse().map_err(|_| ServiceError::NotFound)?;
        let mut conn = self.pool.acquire().await?;
        let action = db::actions::get(&mut conn, member.project, id).await?.ok_or(ServiceError::NotFound)?;
        let timeline = db::audit::timeline(&mut conn, id).await?;
        let reader = self.reader(member);
        let status = action.status(reader.now);
        let (delivery, context) = match status {
            Status::Pending => (None, super::context::before(&mut conn, member, &action, &reader).await?),
            _ => (db::outbox::latest(&mut conn, id).await?, CardContext::default()),
        };
        let may_decide = member.role.allows(Role::Reviewer);
        let told = db::channel_messages::told(&mut conn, id).await?;
        let mut card = view::card::card(&action, delivery, timeline, context, may_decide, &reader);
        let is_waiting = status == Status::Pending;
        let not_told = |told| view::channels::not_told(told, is_waiting);
        card.not_told = told.into_iter().filter_map(not_told).collect();
        Ok(card)
    }

    /// Sends an action's latest callback again, because a person asked for it.
    ///
    /// # Errors
    /// If their role does not allow deciding, or the project has no such action. That there is nothing to send is no
    /// error: the card says how it stands.
    pub async fn replay_from_inbox(&self, member: &Member, id: &str) -> ServiceResult<()> {
        member.require(Role::Reviewer)?;
        let id: ActionId = id.parse().map_err(|_| ServiceError::NotFound)?;
        self.action(member.project, id).await?;
        self.replay_message(member.project, id, member.actor(), Channel::web()).await?;
        Ok(())
    }

    /// Decides an action from its form. A text of a control becomes a value of the proposed value's type.
    ///
    /// # Errors
    /// [`UiError::Unsure`] if an approval takes a second look that nobody took; otherwise as [`Services::decide`]. Nothing
    /// is decided then.
    pub async fn decide_in_inbox(&self, member: &Member, form: &DecideForm) -> Result<Outcome, UiError> {
        let id: ActionId = form.id.parse().map_err(|_| UiError::NotFound)?;
        // A form without a readable digest was not made by our page.
        let seen: ContentDigest = form.seen.parse().map_err(|()| UiError::Stale)?;
        let verdict = Verdict::from_text(&form.verdict).ok_or(UiError::BadRequest)?;
        // A plain form sends every line break as CR LF.
        let comment = form.comment.replace("\r\n", "\n");
        let comment = Some(comment.trim()).filter(|text| !text.is_empty()).map(Comment::parse).transpose();
        let comment = comment.map_err(ServiceError::from)?;
        let edits = match verdict {
            Verdict::Reject => Map::new(),
            Verdict::Approve => {
                let action = self.action(member.project, id).await?.action;
                let edits = read_edits(&action, &form.edits)?;
                // What can't be approved any more, or not with these edits, is refused for that.
                let can_be =
                    action.status(self.clock.now()) == Status::Pending && action.content_sha256 == seen;
                let is_edited = can_be && !changes(&action, &edits)?.is_empty();
                if can_be && !form.sure && (is_edited || action.asks_again()) {
                    return Err(UiError::Unsure);
                }
                edits
            }
        };
        let intent = Intent { verdict, seen: Some(seen), edits, comment, channel: Channel::web() };
        let decider = Decider::Reviewer { id: member.id, name: member.name.clone() };
        let action = self.decide(member.project, decider, id, intent).await?;
        Ok(Outcome {
            id: id.to_string(),
            status: action.status(self.clock.now()).as_str().to_owned(),
            title: crate::server::text::reveal_text(action.approved_content().title.as_str()),
            edits: action
                .decision()
                .map_or(0, |decision| u32::try_from(decision.edits.len()).unwrap_or(u32::MAX)),
        })
    }

    /// What somebody who is about to approve should look at once more.
    ///
    /// # Errors
    /// If it can't be approved by them as it was sent.
    pub async fn second_look(&self, member: &Member, form: DecideForm) -> Result<SecondLook, UiError> {
        member.require(Role::Reviewer)?;
        let id: ActionId = form.id.parse().map_err(|_| UiError::NotFound)?;
        let action = self.stored_action(member.project, id).await?.action;
        match action.status(self.clock.now()) {
            Status::Pending if form.seen != action.content_sha256.to_string() => Err(UiError::Stale),
            Status::Pending => {
                let changes = changes(&action, &read_edits(&action, &form.edits)?)?;
                Ok(view::second_look::second_look(&action, form, &changes))
            }
            Status::Expired => Err(UiError::Expired),
            _ => Err(UiError::AlreadyDecided),
        }
    }
}

/// What differs from the proposal. A value that does not fit is named by its place in the action's list.
fn changes(action: &Action, edits: &Map<String, Value>) -> Result<Vec<Edit>, UiError> {
    check_edits(&action.content, &action.editable, edits).map_err(|refusal| {
        let place = match &refusal {
            EditRefusal::Invalid(error) => action.editable.iter().zip(0_u32..).find(|(path, _)| {
                let path = path.to_string();
                error
                    .field
                    .strip_suffix(&path)
                    .is_some_and(|before| before.is_empty() || before.ends_with('.'))
            }),
            EditRefusal::NotEditable(_) => None,
        };
        let place = place.map(|(_, index)| index);
        match (ServiceError::refused(Refusal::Edit(refusal), &action.editable).into(), place) {
            (UiError::BadEdit { problem, .. }, Some(index)) => UiError::BadEdit { index, problem },
            (other, _) => other,
        }
    })
}

/// The values that the controls' texts stand for, by path.
fn read_edits(action: &Action, texts: &EditTexts) -> Result<Map<String, Value>, UiError> {
    let mut edits = Map::new();
    for (index, text) in texts {
        let index: u32 = index.parse().map_err(|_| UiError::BadRequest)?;
        let path = usize::try_from(index).ok().and_then(|index| action.editable.get(index));
        let path = path.ok_or(UiError::NotEditable)?;
        let Some(original) = path.get(&action.content) else { return Err(UiError::NotEditable) };
        let value =
            read_value(path, &original, text).map_err(|problem| UiError::BadEdit { index, problem })?;
        edits.insert(path.to_string(), value);
    }
    Ok(edits)
}

fn read_value(path: &EditablePath, original: &Value, text: &str) -> Result<Value, EditProblem> {
    match original {
        Value::String(before) => Ok(Value::String(restore_breaks(before, text))),
        // The text that the control was filled with stands for the very value it was made from.
        other if same_text(other, text) => Ok(other.clone()),
        Value::Number(_) => {
            text.trim().parse::<Number>().map(Value::Number).map_err(|_| EditProblem::NotANumber)
        }
        Value::Bool(_) => text.trim().parse().map(Value::Bool).map_err(|_| EditProblem::Invalid),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let value: Value = serde_json::from_str(text).map_err(|_| EditProblem::NotJson)?;
            let same_type =
                crate::domain::payload::type_name(&value) == crate::domain::payload::type_name(original);
            if same_type { Ok(value) } else { Err(EditProblem::OtherType) }
        }
    }
    .inspect_err(|_| tracing::debug!(%path, "an edited value does not fit"))
}

fn same_text(value: &Value, text: &str) -> bool {
    let normal = text.replace("\r\n", "\n");
    [value.to_string(), format!("{value:#}")].contains(&normal)
}

/// Browsers send every line break of a text box as CR LF (HTML, form submission), whatever it was. A text that differs
/// from the original in nothing else is the original; one that was edited gets the original's kind of break.
fn restore_breaks(original: &str, sent: &str) -> String {
    let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let sent = plain(sent);
    if sent == plain(original) {
        return original.to_owned();
    }
    if original.contains("\r\n") { sent.replace('\n', "\r\n") } else { sent }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_box_does_not_edit_by_its_line_breaks() {
        assert_eq!(restore_breaks("a\nb", "a\r\nb"), "a\nb");
        assert_eq!(restore_breaks("a\r\nb", "a\r\nb"), "a\r\nb");
        assert_eq!(restore_breaks("a\rb\n", "a\r\nb\r\n"), "a\rb\n");
        assert_eq!(restore_breaks("a\nb", "a\r\nc"), "a\nc");
        assert_eq!(restore_breaks("a\r\nb", "a\r\nc"), "a\r\nc");
    }

    #[test]
    fn a_control_gives_back_the_type_that_it_showed() {
        let path = EditablePath::parse("payload.x").unwrap();
        let read = |original: &Value, text: &str| read_value(&path, original, text);
        assert_eq!(read(&json!(42), "42"), Ok(json!(42)));
        assert_eq!(read(&json!(1.0), "1.0"), Ok(json!(1.0)));
        assert_eq!(read(&json!(42), " 41.5 "), Ok(json!(41.5)));
        assert_eq!(read(&json!(42), ""), Err(EditProblem::NotANumber));
        assert_eq!(read(&json!(true), "false"), Ok(json!(false)));
        assert_eq!(read(&json!(true), "no"), Err(EditProblem::Invalid));
        assert_eq!(read(&json!({"a": 1}), "{\r\n  \"a\": 1\r\n}"), Ok(json!({"a": 1})));
        assert_eq!(read(&json!({"a": 1}), "[1]"), Err(EditProblem::OtherType));
        assert_eq!(read(&json!(null), "1"), Err(EditProblem::OtherType));
        assert_eq!(read(&json!(null), "nul"), Err(EditProblem::NotJson));
    }
}
