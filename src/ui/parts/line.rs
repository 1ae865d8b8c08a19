//! A one-line field of a form: its label, what was typed, what is wrong with it, and what it means.

use leptos::prelude::*;

use super::refused::Again;

/// What kind of text a field takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LineKind {
    /// Any.
    #[default]
    Text,
    /// A name or a token, which no dictionary knows.
    Code,
    /// An e-mail address.
    Email,
    /// A password, which is never shown again.
    Password,
}

/// The field. Its element has the id, and its hint the id with `-hint` after it.
#[component]
pub fn Line(
    /// What the form posts it as.
    #[prop(into)]
    name: String,
    /// Its element's id, if it is not the name.
    #[prop(optional)]
    id: Option<String>,
    /// What it is.
    #[prop(into)]
    label: String,
    /// What kind of text it takes.
    #[prop(optional)]
    kind: LineKind,
    /// What it begins with, unless something was typed.
    #[prop(optional)]
    value: String,
    /// What it means.
    #[prop(optional, into)]
    hint: String,
    /// Whether the form can't be sent without it.
    #[prop(optional)]
    required: bool,
    /// Shortest text.
    #[prop(optional)]
    minlength: Option<u32>,
    /// Longest text.
    #[prop(optional)]
    maxlength: Option<u32>,
    /// What the browser may fill it with.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// Whether it can't be changed.
    #[prop(optional)]
    readonly: bool,
    /// Whether the page begins here.
    #[prop(optional)]
    focus: bool,
    /// The form's second beginning.
    again: Again,
) -> impl IntoView {
    let id = id.unwrap_or_else(|| name.clone());
    let hint = Some(hint).filter(|hint| !hint.is_empty());
    let hint_id = hint.as_ref().map(|_| format!("{id}-hint"));
    let state = again.field(&name, &id, hint_id.as_deref());
    let value = match kind {
        LineKind::Password => None,
        LineKind::Text | LineKind::Code | LineKind::Email => {
            Some(again.text(&name, value)).filter(|text| !text.is_empty())
        }
    };
    let word = match kind {
        LineKind::Text | LineKind::Code => "text",
        LineKind::Email => "email",
        LineKind::Password => "password",
    };
    let focus = focus || state.is_wrong();
    let required = required || state.is_lost();
    let spelling = (kind == LineKind::Code).then_some("false");
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input
                type=word
                id=id
                name=name
                value=value
                required=required
                readonly=readonly
                minlength=minlength
                maxlength=maxlength
                autocomplete=autocomplete
                autofocus=focus
                spellcheck=spelling
                aria-invalid=state.invalid()
                aria-describedby=state.described_by()
            />
            {state.below()}
            {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
        </div>
    }
}
