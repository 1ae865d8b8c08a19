//! The first account and project, for who holds the link from the server's log.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::ui::parts::alert::Alert;
use crate::ui::parts::icons::Mark;
use crate::wire::error::UiError;

/// Set-up.
#[component]
pub fn SetUpPage() -> impl IntoView {
    let (token, refusal) = use_query_map().with_untracked(|query| {
        (query.get("token").unwrap_or_default(), query.get_str("refused").and_then(UiError::from_code))
    });
    let refusal = refusal.or_else(|| token.is_empty().then_some(UiError::SetupClosed));
    view! {
        <Title text="Set up" />
        <div class="page page--narrow door">
            <Mark />
            <h1>"Set up Impri"</h1>
            <p>"You become the first person who decides here."</p>
            {refusal.map(|refusal| view! { <Alert sentence=refusal.to_string() /> })}
            <form class="form" method="post" action="/rpc/set_up">
                <input type="hidden" name="token" value=token />
                <div class="field">
                    <label for="name">"Your name"</label>
                    <input type="text" id="name" name="name" autocomplete="name" maxlength="100" required autofocus />
                    <p class="hint">"Agents and the history see it beside your decisions."</p>
                </div>
                <div class="field">
                    <label for="email">"E-mail"</label>
                    <input type="email" id="email" name="email" autocomplete="username" required />
                </div>
                <div class="field">
                    <label for="password">"Password"</label>
                    <input
                        type="password"
                        id="password"
                        name="password"
                        autocomplete="new-password"
                        minlength="10"
                        maxlength="200"
                        aria-describedby="password-hint"
                        required
                    />
                    <p class="hint" id="password-hint">
                        "At least 10 characters."
                    </p>
                </div>
                <div class="field">
                    <label for="project">"Project"</label>
                    <input type="text" id="project" name="project" value="My project" maxlength="200" required />
                    <p class="hint">"What your agents work on. It holds their actions and keys."</p>
                </div>
                <button class="button button--primary" type="submit">
                    "Create account and project"
                </button>
            </form>
        </div>
    }
}
