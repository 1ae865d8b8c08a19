//! A form that people type into.

use leptos::prelude::*;

use super::refused::Again;

/// The form with its button. After a refusal that is about none of its fields it says so above them.
#[component]
pub fn Form(
    /// What takes it.
    action: &'static str,
    /// What its button says.
    #[prop(into)]
    button: String,
    /// Whether that is what its page is for.
    #[prop(optional)]
    is_main: bool,
    /// Whether a browser may fill it.
    #[prop(optional)]
    autocomplete: Option<&'static str>,
    /// The form's second beginning.
    again: Again,
    /// Its fields.
    children: Children,
) -> impl IntoView {
    let class = if is_main { "button button--primary" } else { "button" };
    view! {
        <form class="form" method="post" action=action autocomplete=autocomplete>
            {again.alert()}
            {children()}
            <button class=class type="submit">
                {button}
            </button>
        </form>
    }
}
