//! One more look before what can't be taken back, for a browser without a script or before it runs. With one, the card
//! asks by itself.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::components::Redirect;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::ui::parts::card_head::TargetHost;
use crate::ui::parts::change_list::ChangeList;
use crate::ui::parts::content_block::{ContentBlock, UndoNote};
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::inbox_address::{alone, filter_of, hidden_list};
use crate::ui::parts::safe_html::InlineHtml;
use crate::ui::parts::warnings::Warnings;
use crate::wire::card::SecondLook;
use crate::wire::inbox::InboxFilter;

/// What was sent, with a button that sends it for good. Whoever comes here in another way is led to the card.
#[component]
pub fn SecondLookPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let list = use_query_map().with_untracked(filter_of);
    match use_context::<SecondLook>() {
        Some(look) => view! { <Look look=look list=list /> }.into_any(),
        None => view! { <Redirect path=alone(&list, &id) /> }.into_any(),
    }
}

#[component]
fn Look(look: SecondLook, list: InboxFilter) -> impl IntoView {
    let SecondLook { form, title, title_html, kind, agent, target, .. } = look;
    let changes = look.changes;
    let yes = match changes.len() {
        0 => "Yes, approve".to_owned(),
        1 => "Yes, approve with 1 edit".to_owned(),
        count => format!("Yes, approve with {count} edits"),
    };
    let is_edited = !changes.is_empty();
    let changed = is_edited.then(|| {
        view! {
            <section aria-labelledby="changed">
                <h2 id="changed">"What you changed"</h2>
                <ChangeList changes=changes />
            </section>
        }
    });
    let mut edits: Vec<(String, String)> = form.edits.into_iter().collect();
    edits.sort();
    let edits = edits
        .into_iter()
        .map(|(index, text)| view! { <input type="hidden" name=format!("edits[{index}]") value=text /> })
        .collect_view();
    let reason = (!form.comment.trim().is_empty()).then(|| {
        view! {
            <section aria-labelledby="why">
                <h2 id="why">"Your reason"</h2>
                <p class="reason-given">{form.comment.clone()}</p>
            </section>
        }
    });
    let card = alone(&list, &form.id);
    view! {
        <Title text=format!("Approve {title}?") />
        <div class="page second-look" data-still="">
            <a class="back" href=card.clone()>
                <Icon path=icons::BACK />
                "Card"
            </a>
            <h1>"Approve this?"</h1>
            <p class="confirm-what">
                <InlineHtml html=title_html />
            </p>
            <p class="facts">
                <code>{kind}</code>
                <span>"from "<strong>{agent}</strong></span>
                {target.map(|target| view! { <TargetHost target=target /> })}
            </p>
            <Warnings not_idempotent=look.not_idempotent found=look.warnings />
            {look.undo.map(|undo| view! { <UndoNote undo=undo /> })}
            {changed}
            <section class="second-look-content" aria-labelledby="content">
                <h2 id="content">{if is_edited { "What runs then, with your edits" } else { "What runs then" }}</h2>
                <ContentBlock content=look.content />
            </section>
            {reason}
            <form class="decision-buttons" method="post" action="/rpc/decide_action" autocomplete="off">
                <input type="hidden" name="id" value=form.id />
                <input type="hidden" name="seen" value=form.seen />
                <input type="hidden" name="comment" value=form.comment />
                {edits}
                {hidden_list(&list, None)}
                <input type="hidden" name="sure" value="true" />
                <button class="button button--yes" name="verdict" value="approve">
                    <Icon path=icons::CHECK />
                    {yes}
                </button>
                // The card takes what was typed and decides nothing.
                <button class="button" type="submit" formaction=card>
                    "Change something"
                </button>
            </form>
        </div>
    }
}
