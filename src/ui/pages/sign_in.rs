//! The door. Plain forms: after them everything is loaded anew, for the person who came in.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_query_map;

use crate::ui::parts::alert::Alert;
use crate::ui::parts::header::use_door;
use crate::ui::parts::icons::Mark;
use crate::wire::error::UiError;
use crate::wire::session::Door;

/// Sign-in.
#[component]
pub fn SignInPage() -> impl IntoView {
    let door = use_door();
    let query = use_query_map();
    view! {
        <Title text="Sign in" />
        <div class="page page--narrow door">
            <Mark />
            <Suspense>
                {Suspend::new(async move {
                    let (next, refusal) = query
                        .with_untracked(|query| {
                            (query.get("next").unwrap_or_default(), query.get_str("refused").and_then(UiError::from_code))
                        });
                    match door.await {
                        Ok(Door::In(_)) => view! { <Redirect path="/inbox" /> }.into_any(),
                        Ok(Door::NotSetUp) => view! { <NotSetUp /> }.into_any(),
                        Ok(Door::SignIn) => view! { <SignInForm next=next refusal=refusal /> }.into_any(),
                        Err(error) => view! { <SignInForm next=next refusal=Some(error) /> }.into_any(),
                    }
                })}
            </Suspense>
        </div>
    }
}

#[component]
fn SignInForm(next: String, refusal: Option<UiError>) -> impl IntoView {
    let lead = (!next.is_empty() && refusal.is_none())
        .then(|| view! { <p>"Sign in, and you get to the page that you asked for."</p> });
    view! {
        <h1>"Sign in"</h1>
        {lead}
        {refusal.map(|refusal| view! { <Alert sentence=refusal.to_string() /> })}
        <form class="form" method="post" action="/rpc/sign_in">
            <input type="hidden" name="next" value=next />
            <div class="field">
                <label for="email">"E-mail"</label>
                <input type="email" id="email" name="email" autocomplete="username" required autofocus />
            </div>
            <div class="field">
                <label for="password">"Password"</label>
                <input type="password" id="password" name="password" autocomplete="current-password" required />
            </div>
            <button class="button button--primary" type="submit">
                "Sign in"
            </button>
        </form>
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
