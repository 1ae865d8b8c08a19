//! The keys that agents and programs call with, for the project's administrators.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::domain::scope::Scope;
use crate::rpc::keys::load_keys;
use crate::rpc::people::load_admins;
use crate::ui::parts::forbidden::forbidden;
use crate::ui::parts::key_form::KeyForm;
use crate::ui::parts::key_list::{EndedKeys, KeyList};
use crate::ui::parts::notice::Notice;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::Refused;
use crate::ui::parts::secret::Secret;
use crate::ui::parts::settings_section::Section;
use crate::wire::error::UiError;
use crate::wire::keys::{FreshKey, KeyView, KeysView};

/// The keys.
#[component]
pub fn KeysPage() -> impl IntoView {
    let query = use_query_map();
    let refused = Refused::read();
    view! {
        <Title text="Keys" />
        <Suspense>
            {let refused = refused.clone();
            Suspend::new(async move {
                let done = query.with_untracked(|query| query.get_str("done").and_then(done_sentence));
                match load_keys().await {
                    Err(UiError::Forbidden) => {
                        forbidden("make and revoke keys", &load_admins().await.unwrap_or_default())
                    }
                    Err(error) => problem(&error),
                    Ok(keys) => view! { <Keys keys=keys done=done refused=refused /> }.into_any(),
                }
            })}
        </Suspense>
    }
}

fn done_sentence(word: &str) -> Option<&'static str> {
    (word == "revoked").then_some("The key is revoked; every call with it is refused from now on.")
}

#[component]
fn Keys(keys: KeysView, done: Option<&'static str>, refused: Refused) -> impl IntoView {
    let KeysView { keys, ended, fresh } = keys;
    let again = refused.of(|typed| typed.text("name").is_some());
    let refusal = refused.of_none(&[&again]);
    let fresh = fresh.and_then(|fresh| fresh_key(fresh, &keys));
    view! {
        <div class="page settings" data-shape="keys">
            <h1>"Keys"</h1>
            <Notice done=done refusal=refusal />
            {fresh}
            <Section id="new" title="New key" lead="What an agent or a program calls with. One for each, so that each can be revoked alone.">
                <KeyForm again=again />
            </Section>
            <Section id="keys" title="Keys that work">
                <KeyList keys=keys />
                <EndedKeys keys=ended />
            </Section>
        </div>
    }
}

/// The key that was made just before, if it still works.
fn fresh_key(fresh: FreshKey, keys: &[KeyView]) -> Option<impl IntoView + use<>> {
    let made = keys.iter().find(|key| key.id == fresh.id)?;
    let is_agents = made.scopes == [Scope::Actions];
    let title = format!("The key of {}", made.name);
    let put = if is_agents { "Put it where the agent finds it, for instance as IMPRI_API_KEY. " } else { "" };
    Some(view! {
        <Secret title=title text=fresh.key>
            {put}
            "It is shown this once: if it gets lost, revoke it and make another."
        </Secret>
    })
}
