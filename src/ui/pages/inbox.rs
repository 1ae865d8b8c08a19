//! The inbox: the actions that wait, and one of them beside the list.
//!
//! The address says which card is on the table (`?at=`) and where the list begins (`?cursor=`). A phone shows the
//! list without `at` and the card with it; a desk shows both.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};

use crate::rpc::actions::{load_card, load_inbox};
use crate::ui::desk::Desk;
use crate::ui::parts::card_pane::CardPane;
use crate::ui::parts::empty_state::EmptyState;
use crate::ui::parts::header::count;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::inbox_list::InboxList;
use crate::ui::parts::links::with_query;
use crate::ui::parts::live::on_changes;
use crate::ui::parts::outcome_line::OutcomeLine;
use crate::ui::parts::problem::problem;
use crate::ui::parts::welcome::WelcomePane;
use crate::wire::card::{Card, Outcome};
use crate::wire::error::UiError;
use crate::wire::inbox::InboxView;

type List = RwSignal<Option<InboxView>>;
type FirstLoad = Result<(InboxView, Option<Result<Card, UiError>>), UiError>;

/// The inbox.
#[component]
pub fn InboxPage() -> impl IntoView {
    let query = use_query_map();
    let at = Memo::new(move |_| query.with(|query| query.get("at")));
    let cursor = Memo::new(move |_| query.with(|query| query.get("cursor")));
    // Counted, because the head is written after the rest of the page, whose other signals may be gone by then.
    let counted = ArcRwSignal::new(None);
    let list = List::from(counted.clone());
    let desk = Desk::new();

    let first = Resource::new(|| (), move |()| load(at.get_untracked(), cursor.get_untracked()));
    follow_address(at, cursor, list, desk);
    follow_news(cursor, list, desk);
    go_on_after_decision(cursor, list, desk);

    let title = move || match counted.with(|list| list.as_ref().map_or(0, |list| list.pending)) {
        0 => "Inbox".to_owned(),
        pending => format!("({}) Inbox", count(pending)),
    };
    view! {
        <Title text=title />
        <h1 class="visually-hidden">"Inbox"</h1>
        <Suspense>
            {Suspend::new(async move {
                match first.await {
                    Err(error) => problem(&error),
                    Ok((view, card)) => {
                        list.set(Some(view));
                        desk.place(card);
                        view! { <Split at=at cursor=cursor list=list desk=desk /> }.into_any()
                    }
                }
            })}
        </Suspense>
    }
}

/// The list, and the card that was asked for or else the newest.
async fn load(at: Option<String>, cursor: Option<String>) -> FirstLoad {
    let view = load_inbox(cursor).await?;
    let card = match at.or_else(|| view.first_id.clone()) {
        Some(id) => Some(load_card(id).await),
        None => None,
    };
    Ok((view, card))
}

#[component]
fn Split(at: Memo<Option<String>>, cursor: Memo<Option<String>>, list: List, desk: Desk) -> impl IntoView {
    let is_empty =
        Memo::new(move |_| list.with(|list| list.as_ref().is_none_or(|list| list.rows.is_empty())));
    let welcome = Memo::new(move |_| {
        list.with(|list| list.as_ref()?.welcome.clone()).filter(|_| is_empty.get() && desk.is_empty())
    });
    let is_bare = Memo::new(move |_| desk.is_empty());
    let selected = Signal::derive(move || desk.id());
    let shown = move || if at.with(Option::is_some) { "card" } else { "list" };
    let back = move || with_query("/inbox", &[("cursor", cursor.get().as_deref())]);
    move || match welcome.get() {
        Some(welcome) => view! { <WelcomePane welcome=welcome /> }.into_any(),
        None => view! {
            <div class="inbox" data-shown=shown data-empty=move || is_empty.get().then_some("")>
                <div class="inbox-side">
                    <InboxList list=list selected=selected cursor=cursor />
                </div>
                <div class="inbox-detail">
                    <a class="back" href=back>
                        <Icon path=icons::BACK />
                        "Inbox"
                    </a>
                    {move || {
                        if is_bare.get() {
                            view! { <Done desk=desk /> }.into_any()
                        } else {
                            view! { <CardPane desk=desk /> }.into_any()
                        }
                    }}
                </div>
            </div>
        }
        .into_any(),
    }
}

#[component]
fn Done(desk: Desk) -> impl IntoView {
    view! {
        <div class="card-pane">
            <OutcomeLine desk=desk />
            <EmptyState
                icon=icons::TRAY
                title="Nothing waits for you"
                text="New actions show up here as agents propose them. What was decided is in the history."
            />
        </div>
    }
}

/// Keeps list and card at what the address says, from the second address on.
fn follow_address(at: Memo<Option<String>>, cursor: Memo<Option<String>>, list: List, desk: Desk) {
    Effect::new(move |before: Option<(Option<String>, Option<String>)>| {
        let now = (at.get(), cursor.get());
        if let Some(before) = before {
            if before.1 != now.1 {
                refetch(now.1.clone(), list, desk);
            }
            if let Some(id) = now.0.clone().filter(|_| before.0 != now.0) {
                desk.show(id);
            }
        }
        now
    });
}

/// Takes news in without moving what is read: rows come and go, the card stays until its own story goes on.
fn follow_news(cursor: Memo<Option<String>>, list: List, desk: Desk) {
    on_changes(move |changes| {
        let id = desk.id_now();
        if changes.iter().any(|change| change.concerns(id.as_deref())) {
            desk.refresh();
        }
        refetch(cursor.get_untracked(), list, desk);
    });
}

fn refetch(cursor: Option<String>, list: List, desk: Desk) {
    spawn_local(async move {
        match load_inbox(cursor).await {
            Ok(view) => {
                let first = view.first_id.clone();
                list.set(Some(view));
                if let Some(id) = first.filter(|_| desk.is_empty_now()) {
                    desk.show(id);
                }
            }
            Err(UiError::SignedOut) if !desk.is_touched_now() => desk.place(Some(Err(UiError::SignedOut))),
            Err(_) => {}
        }
    });
}

/// After a decision its row goes and the next card comes.
fn go_on_after_decision(cursor: Memo<Option<String>>, list: List, desk: Desk) {
    let navigate = use_navigate();
    desk.on_decided(Callback::new(move |(outcome,): (Outcome,)| {
        let next = list.try_update(|list| remove(list.as_mut()?, &outcome.id)).flatten();
        if next.is_none() {
            desk.clear();
        }
        let address =
            with_query("/inbox", &[("cursor", cursor.get_untracked().as_deref()), ("at", next.as_deref())]);
        navigate(&address, NavigateOptions { replace: true, ..NavigateOptions::default() });
    }));
}

/// Takes a row out of the list and tells which one moves into its place.
fn remove(list: &mut InboxView, id: &str) -> Option<String> {
    let place = list.rows.iter().position(|row| row.id == id);
    if let Some(place) = place {
        list.rows.remove(place);
        list.pending = list.pending.saturating_sub(1);
    }
    let next = place.unwrap_or(0).min(list.rows.len().saturating_sub(1));
    list.rows.get(next).map(|row| row.id.clone())
}
