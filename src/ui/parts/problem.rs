//! A page that could not be loaded: where to go instead, or what to do.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::use_location;

use super::links::with_query;
use crate::ui::host;
use crate::wire::error::UiError;

/// Leads who is signed out to the door and back, and tells everybody else what happened.
pub fn problem(error: &UiError) -> AnyView {
    let title = match error {
        UiError::SignedOut => {
            let location = use_location();
            let (path, query) = (location.pathname.get_untracked(), location.search.get_untracked());
            let here = if query.is_empty() { path } else { format!("{path}?{query}") };
            let address = with_query("/sign-in", &[("next", Some(&here))]);
            return view! { <Redirect path=address /> }.into_any();
        }
        UiError::NotFound => {
            host::set_status(404);
            "Not found"
        }
        UiError::Forbidden => {
            host::set_status(403);
            "Not allowed"
        }
        UiError::Unavailable | UiError::Offline => {
            host::set_status(503);
            "Out of reach"
        }
        _ => {
            host::set_status(500);
            "Something went wrong"
        }
    };
    // What is not there does not come by asking again.
    let again = (*error != UiError::NotFound).then(|| view! { <a class="button" href="">"Try again"</a> });
    view! {
        <Title text=title />
        <div class="page page--narrow problem" role="alert">
            <h1>{title}</h1>
            <p>{error.to_string()}</p>
            <p class="actions">
                {again}
                <a class="button" href="/inbox">"Go to the inbox"</a>
            </p>
        </div>
    }
    .into_any()
}
