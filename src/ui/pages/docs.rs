//! The agent API for people: every call and every object, from the API's own description.

use std::sync::Arc;

use leptos::prelude::*;
use leptos_meta::Title;

use crate::ui::pages::not_found::NotFoundPage;
use crate::ui::parts::safe_html::Html;
use crate::wire::docs::{AnswerDocs, CallDocs, CallGroup, DocsView, FieldDocs, ObjectDocs};

/// The description, which is the same for everybody and made once.
pub type Docs = Arc<DocsView>;

/// The API.
#[component]
pub fn DocsPage() -> impl IntoView {
    let Some(docs) = use_context::<Docs>() else { return view! { <NotFoundPage /> }.into_any() };
    let view = DocsView::clone(&docs);
    view! {
        <Title text="API" />
        <div class="page docs">
            <Whole view=view />
        </div>
    }
    .into_any()
}

#[component]
fn Whole(view: DocsView) -> impl IntoView {
    let contents = view.groups.iter().map(|group| {
        let calls = group.calls.iter().map(|call| {
            view! {
                <li>
                    <a href=format!("#{}", call.id)>{call.summary.clone()}</a>
                </li>
            }
        });
        view! {
            <li>
                <span class="docs-group">{group.name.clone()}</span>
                <p class="hint">{group.about.clone()}</p>
                <ul>{calls.collect_view()}</ul>
            </li>
        }
    });
    let contents = contents.collect_view();
    view! {
        <h1>"The agent API"</h1>
        <Html html=view.about class="lead prose docs-text" />
        <p>
            "Calls go to " <code>{view.origin}</code> " with " <code>"Authorization: Bearer im_…"</code>
            ". For machines the same is at " <a href="/v1/openapi.json" rel="external">
                <code>"/v1/openapi.json"</code>
            </a> " (OpenAPI 3.1)."
        </p>
        <nav aria-label="Calls" class="docs-contents">
            <ul>{contents}</ul>
        </nav>
        {view.groups.into_iter().map(group).collect_view()}
        <section aria-labelledby="objects">
            <h2 id="objects">"Objects"</h2>
            {view.objects.into_iter().map(object).collect_view()}
        </section>
    }
}

fn group(group: CallGroup) -> impl IntoView {
    view! {
        <section>
            <h2 class="docs-group">{group.name}</h2>
            {group.calls.into_iter().map(call).collect_view()}
        </section>
    }
}

fn call(call: CallDocs) -> impl IntoView {
    let scopes = match call.scopes.is_empty() {
        true => "No key is needed.".to_owned(),
        false => format!("For keys with the scope {}.", call.scopes.join(" or ")),
    };
    view! {
        <article class="docs-call" id=call.id>
            <h3>{call.summary}</h3>
            <p class="docs-address">
                <code>{format!("{} {}", call.method, call.path)}</code>
            </p>
            {call.text.map(|text| view! { <Html html=text class="prose docs-text" /> })}
            <p class="docs-scopes">{scopes}</p>
            {(!call.params.is_empty()).then(|| fields("Parameter", call.params))}
            {call.sends.map(|name| view! { <p>"Sends " {link(name)} "."</p> })}
            <ul class="docs-answers">{call.answers.into_iter().map(answer).collect_view()}</ul>
        </article>
    }
}

fn answer(answer: AnswerDocs) -> impl IntoView {
    view! {
        <li>
            <code>{answer.status}</code>
            <div>
                <Html html=answer.text class="prose docs-text" />
                {answer.object.map(|name| view! { <p>"Answers " {link(name)} "."</p> })}
            </div>
        </li>
    }
}

fn object(object: ObjectDocs) -> impl IntoView {
    let id = format!("object-{}", object.name);
    let has_words = !object.words.is_empty();
    let words = object.words.into_iter().map(|word| view! { <code>{word}</code> " " }).collect_view();
    view! {
        <article class="docs-call" id=id>
            <h3>{object.name}</h3>
            {object.text.map(|text| view! { <Html html=text class="prose docs-text" /> })}
            {has_words.then(|| view! { <p class="docs-words">"One of: " {words}</p> })}
            {(!object.fields.is_empty()).then(|| fields("Member", object.fields))}
        </article>
    }
}

fn fields(heading: &'static str, fields: Vec<FieldDocs>) -> impl IntoView {
    let rows = fields.into_iter().map(|field| {
        let is_required = field.required.then_some(" required");
        view! {
            <tr>
                <th scope="row">
                    <code>{field.name}</code>
                    <span class="docs-required">{is_required}</span>
                </th>
                <td>{field.kind} {field.object.map(|name| view! { " " {link(name)} })}</td>
                <td>{field.text.map(|text| view! { <Html html=text class="prose docs-text" /> })}</td>
            </tr>
        }
    });
    view! {
        <table class="docs-fields">
            <thead>
                <tr>
                    <th scope="col">{heading}</th>
                    <th scope="col">"Type"</th>
                    <th scope="col">"Meaning"</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

fn link(name: String) -> impl IntoView {
    let address = format!("#object-{name}");
    view! { <a href=address>{name}</a> }
}
