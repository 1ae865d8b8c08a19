//! Links that make accounts: making one, and those that nobody has used.

use leptos::prelude::*;

use super::choice::{Choice, role_hint, role_label};
use super::entries::{Entries, Entry};
use super::form::Form;
use super::line::{Line, LineKind};
use super::refused::{Again, FieldState};
use super::time::Time;
use crate::domain::role::Role;
use crate::wire::people::InviteView;

/// The form that makes a link.
#[component]
pub fn InviteForm(
    /// Its second beginning.
    again: Again,
) -> impl IntoView {
    let state = again.field("role", "role", None);
    let roles = Role::ALL
        .into_iter()
        .map(|role| {
            let (label, hint) = (role_label(role), role_hint(role));
            let is_usual = role == Role::Reviewer;
            let is_chosen = again.is_ticked("role", role.as_str(), is_usual);
            let state = if is_usual { state.clone() } else { FieldState::default() };
            view! {
                <Choice kind="radio" name="role" value=role.as_str() label=label hint=hint checked=is_chosen state=state />
            }
        })
        .collect_view();
    view! {
        <Form action="/rpc/invite_person" button="Make a link" is_main=true again=again.clone()>
            <fieldset class="choices">
                <legend>"Role"</legend>
                {state.below()}
                {roles}
            </fieldset>
            <Line
                name="email"
                label="E-mail (optional)"
                kind=LineKind::Email
                hint="The account gets this address. Nothing is sent: you pass the link on yourself."
                maxlength=254
                again=again
            />
        </Form>
    }
}

/// Links that still work.
#[component]
pub fn InviteList(
    /// Oldest first.
    invites: Vec<InviteView>,
) -> impl IntoView {
    if invites.is_empty() {
        return view! { <p class="nothing">"No link waits to be used."</p> }.into_any();
    }
    let rows = invites.into_iter().map(|invite| view! { <Row invite=invite /> }).collect_view();
    view! { <Entries label="Open invitations">{rows}</Entries> }.into_any()
}

#[component]
fn Row(invite: InviteView) -> impl IntoView {
    let InviteView { id, role, email, by, expires } = invite;
    let whom = email.unwrap_or_else(|| "Whoever has the link".to_owned());
    let label = format!("Withdraw the invitation for {whom} as {}", role.as_str());
    let facts = view! {
        <span>"as " {role.as_str()}</span>
        <span>"made by " {by}</span>
        <span>"expires " <Time moment=expires /></span>
    }
    .into_any();
    let side = view! {
        <form method="post" action="/rpc/withdraw_invite">
            <input type="hidden" name="id" value=id />
            <button class="button" type="submit" aria-label=label>
                "Withdraw"
            </button>
        </form>
    }
    .into_any();
    view! { <Entry name=whom.into_any() facts=facts side=side /> }
}
