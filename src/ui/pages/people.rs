//! The people of a project, for its administrators.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::people::{load_admins, load_people};
use crate::ui::parts::forbidden::forbidden;
use crate::ui::parts::invites::{InviteForm, InviteList};
use crate::ui::parts::notice::Notice;
use crate::ui::parts::person_list::PersonList;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::Refused;
use crate::ui::parts::secret::Secret;
use crate::ui::parts::settings_section::Section;
use crate::wire::error::UiError;
use crate::wire::people::{FreshInvite, InviteView, PeopleView};

/// The people.
#[component]
pub fn PeoplePage() -> impl IntoView {
    let query = use_query_map();
    let refused = Refused::read();
    view! {
        <Title text="People" />
        <Suspense>
            {let refused = refused.clone();
            Suspend::new(async move {
                let done = query.with_untracked(|query| query.get_str("done").and_then(done_sentence));
                match load_people().await {
                    Err(UiError::Forbidden) => {
                        forbidden("invite people and change what they may do", &load_admins().await.unwrap_or_default())
                    }
                    Err(error) => problem(&error),
                    Ok(people) => view! { <People people=people done=done refused=refused /> }.into_any(),
                }
            })}
        </Suspense>
    }
}

fn done_sentence(word: &str) -> Option<&'static str> {
    Some(match word {
        "withdrawn" => "The invitation is withdrawn; its link opens nothing any more.",
        "role" => "The role is changed, at once and in every browser of theirs.",
        "disabled" => "The account is disabled and signed out everywhere.",
        "enabled" => "The account is enabled again, with the role and the password that it had.",
        _ => return None,
    })
}

#[component]
fn People(people: PeopleView, done: Option<&'static str>, refused: Refused) -> impl IntoView {
    let PeopleView { people, invites, fresh } = people;
    let again = refused.of(|typed| typed.text("email").is_some());
    let refusal = refused.of_none(&[&again]);
    let fresh = fresh.and_then(|fresh| fresh_link(fresh, &invites));
    view! {
        <div class="page settings" data-shape="people">
            <h1>"People"</h1>
            <Notice done=done refusal=refusal />
            {fresh}
            <Section id="everybody" title="Everybody" lead="Who can read and decide here. History keeps names; accounts are disabled, never deleted.">
                <PersonList people=people />
            </Section>
            <Section id="invite" title="Invite" lead="A link makes one account and works for 7 days.">
                <InviteForm again=again />
            </Section>
            <Section id="invitations" title="Open invitations" lead="Links that nobody has used. They end, too, when their maker stops being an administrator.">
                <InviteList invites=invites />
            </Section>
        </div>
    }
}

/// The link that was made just before, if it still works.
fn fresh_link(fresh: FreshInvite, invites: &[InviteView]) -> Option<impl IntoView + use<>> {
    let invite = invites.iter().find(|invite| invite.id == fresh.id)?;
    let whom = match &invite.email {
        Some(email) => format!("Send it to {email}. "),
        None => "Send it to the person that you invite. ".to_owned(),
    };
    let title = format!("A link for one {}", invite.role.as_str());
    let until = invite.expires.text.clone();
    Some(view! {
        <Secret title=title text=fresh.link>
            {whom}
            "It works once, until "
            {until}
            ", and is shown this once."
        </Secret>
    })
}
