//! An address without a page.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::ui::host;

/// Nothing is here.
#[component]
pub fn NotFoundPage() -> impl IntoView {
    host::set_status(404);
    view! {
        <Title text="Not found" />
        <div class="page page--narrow problem">
            <h1>"Not found"</h1>
            <p>"There is no page with this address."</p>
            <p class="actions">
                <a class="button" href="/inbox">
                    "Go to the inbox"
                </a>
            </p>
        </div>
    }
}
