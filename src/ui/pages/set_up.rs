//! The first account and project, for who holds the link from the server's log.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::session::load_set_up;
use crate::ui::host;
use crate::ui::parts::form::Form;
use crate::ui::parts::icons::Mark;
use crate::ui::parts::line::Line;
use crate::ui::parts::person_lines::NewPerson;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::Refused;
use crate::wire::session::SetUpLink;

/// Set-up, or why the link opens nothing any more.
#[component]
pub fn SetUpPage() -> impl IntoView {
    let token = use_query_map().with_untracked(|query| query.get("token").unwrap_or_default());
    let refused = Refused::read();
    view! {
        <Title text="Set up" />
        <div class="page page--narrow door">
            <Mark />
            <Suspense>
                {
                    let (token, refused) = (token.clone(), refused.clone());
                    Suspend::new(async move {
                        match load_set_up(token.clone()).await {
                            Ok(SetUpLink::Open) => view! { <SetUpForm token=token refused=refused /> }.into_any(),
                            Ok(SetUpLink::Done) => view! { <Done /> }.into_any(),
                            Ok(SetUpLink::Replaced) => view! { <Replaced /> }.into_any(),
                            Err(error) => problem(&error),
                        }
                    })
                }
            </Suspense>
        </div>
    }
}

#[component]
fn SetUpForm(token: String, refused: Refused) -> impl IntoView {
    let again = refused.of(|typed| typed.text("project").is_some());
    view! {
        <h1>"Set up Impri"</h1>
        <p>"You become the first person who decides here."</p>
        {refused.alert(&again)}
        <Form action="/rpc/set_up" button="Create account and project" is_main=true again=again.clone()>
            <input type="hidden" name="token" value=token />
            <NewPerson again=again.clone() />
            <Line
                name="project"
                label="Project"
                value="My project".to_owned()
                hint="What your agents work on. It holds their actions and keys."
                maxlength=200
                required=true
                again=again
            />
        </Form>
    }
}

#[component]
fn Done() -> impl IntoView {
    host::set_status(410);
    view! {
        <div class="closed" role="alert" data-shape="closed">
            <h1>"The first account exists"</h1>
            <p>
                "This link made it, or was replaced by one that did. If the account is yours, sign in. Anybody else needs an "
                "invitation from an administrator."
            </p>
            <p class="actions">
                <a class="button button--primary" href="/sign-in">
                    "Sign in"
                </a>
            </p>
        </div>
    }
}

#[component]
fn Replaced() -> impl IntoView {
    host::set_status(410);
    view! {
        <div class="closed" role="alert" data-shape="closed">
            <h1>"This set-up link does not work"</h1>
            <p>
                "A newer one replaced it, or it was not copied whole. The newest is in the server's log, and every restart of "
                "the server writes another one there. Nobody has an account yet."
            </p>
        </div>
    }
}
