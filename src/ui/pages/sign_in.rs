//! The door. Plain forms: after them everything is loaded anew, for the person who came in.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_query_map;

use crate::ui::parts::alert::Alert;
use crate::ui::parts::form::Form;
use crate::ui::parts::header::use_door;
use crate::ui::parts::icons::Mark;
use crate::ui::parts::line::{Line, LineKind};
use crate::ui::parts::refused::{Again, Refused};
use crate::wire::error::UiError;
use crate::wire::session::Door;

/// Sign-in.
#[component]
pub fn SignInPage() -> impl IntoView {
    let door = use_door();
    let query = use_query_map();
    let refused = Refused::read();
    view! {
        <Title text="Sign in" />
        <div class="page page--narrow door">
            <Mark />
            <Suspense>
                {let refused = refused.clone();
                Suspend::new(async move {
                    let next = query.with_untracked(|query| query.get("next").unwrap_or_default());
                    match door.await {
                        Ok(Door::In(_)) => view! { <Redirect path="/inbox" /> }.into_any(),
                        Ok(Door::NotSetUp) => view! { <NotSetUp /> }.into_any(),
                        Ok(Door::SignIn) => view! { <SignInForm next=next refused=refused trouble=None /> }.into_any(),
                        Err(error) => {
                            view! { <SignInForm next=next refused=refused trouble=Some(error) /> }.into_any()
                        }
                    }
                })}
            </Suspense>
        </div>
    }
}

#[component]
fn SignInForm(next: String, refused: Refused, trouble: Option<UiError>) -> impl IntoView {
    let again = refused.of(|typed| typed.text("email").is_some());
    let refusal = trouble.or_else(|| refused.of_none(&[])).map(|error| error.to_string());
    let is_again = again.is_refused();
    let lead = (!next.is_empty() && refusal.is_none())
        .then(|| view! { <p>"Sign in, and you get to the page that you asked for."</p> });
    view! {
        <h1>"Sign in"</h1>
        {lead}
        {refusal.map(|sentence| view! { <Alert sentence=sentence /> })}
        // Why it was refused stands above: the focus is on what was wrong, most likely the password.
        <Form action="/rpc/sign_in" button="Sign in" is_main=true again=Again::default()>
            <input type="hidden" name="next" value=next />
            <Line
                name="email"
                label="E-mail"
                kind=LineKind::Email
                autocomplete="username"
                required=true
                focus=!is_again
                again=again
            />
            <Line
                name="password"
                label="Password"
                kind=LineKind::Password
                autocomplete="current-password"
                required=true
                focus=is_again
                again=Again::default()
            />
        </Form>
        <p class="hint">"No account, or a forgotten password? Ask an administrator."</p>
    }
}

#[component]
fn NotSetUp() -> impl IntoView {
    view! {
        <h1>"Not set up yet"</h1>
        <p>
            "Nobody has an account here. The server wrote a link to its log when it started; it leads to the page that "
            "makes the first account."
        </p>
        <p class="hint">"The link works once, and a restart of the server writes a new one."</p>
    }
}
