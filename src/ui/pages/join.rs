//! Making an account with the link of an invitation.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::people::load_invitation;
use crate::ui::host;
use crate::ui::parts::choice::role_hint;
use crate::ui::parts::form::Form;
use crate::ui::parts::header::use_door;
use crate::ui::parts::icons::Mark;
use crate::ui::parts::person_lines::NewPerson;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::Refused;
use crate::wire::error::UiError;
use crate::wire::people::Invitation;
use crate::wire::session::Door;

/// Joining.
#[component]
pub fn JoinPage() -> impl IntoView {
    let door = use_door();
    let query = use_query_map();
    let refused = Refused::read();
    view! {
        <Title text="Join" />
        <Suspense>
            {let refused = refused.clone();
            Suspend::new(async move {
                let token = query.with_untracked(|query| query.get("token").unwrap_or_default());
                let who = match door.await {
                    Ok(Door::In(me)) => Some(me.name),
                    _ => None,
                };
                match load_invitation(token.clone()).await {
                    Err(UiError::InviteClosed) => view! { <Closed is_in=who.is_some() /> }.into_any(),
                    Err(error) => problem(&error),
                    Ok(invitation) => {
                        view! { <JoinForm token=token invitation=invitation who=who refused=refused /> }.into_any()
                    }
                }
            })}
        </Suspense>
    }
}

#[component]
fn JoinForm(token: String, invitation: Invitation, who: Option<String>, refused: Refused) -> impl IntoView {
    let Invitation { project, role, email, by, expires } = invitation;
    let again = refused.of(|typed| typed.text("name").is_some());
    let who = who.map(|name| {
        view! {
            <p class="hint">
                "You are signed in as " {name} ". This makes another account and signs you in with that."
            </p>
        }
    });
    view! {
        <div class="page page--narrow door" data-shape="join">
            <Mark />
            <h1>"Join " {project}</h1>
            <p>{by} " invites you as " <strong>{role.as_str()}</strong> ". " {role_hint(role)}</p>
            {who}
            {refused.alert(&again)}
            <Form action="/rpc/join" button="Make the account" is_main=true again=again.clone()>
                <input type="hidden" name="token" value=token />
                <NewPerson email=email again=again />
            </Form>
            <p class="hint">"The link works once, until " {expires.text} "."</p>
        </div>
    }
}

#[component]
fn Closed(is_in: bool) -> impl IntoView {
    host::set_status(410);
    let (address, words) = if is_in { ("/inbox", "Go to the inbox") } else { ("/sign-in", "Sign in") };
    view! {
        <div class="page page--narrow problem" role="alert" data-shape="closed">
            <h1>"This invitation is closed"</h1>
            <p>
                "It was used before, was withdrawn, or is older than 7 days. Ask whoever sent it for a new link. If you "
                "used it yourself, you have an account: sign in with it."
            </p>
            <p class="actions">
                <a class="button" href=address>
                    {words}
                </a>
            </p>
        </div>
    }
}
