//! Several actions at once: the page that shows them before they are decided, and the one that says what came of each.
//!
//! Both are whole pages without a script. The first shows everything that is approved there; what does not fit is to be
//! opened.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::many::{load_many, load_many_done};
use crate::ui::parts::alert::Alert;
use crate::ui::parts::icons::{self, Icon};
use crate::ui::parts::inbox_address::{address, filter_of, hidden_list};
use crate::ui::parts::many_item::{Choice, ManyItemView};
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::refusal_in;
use crate::ui::parts::status_badge::{Badge, status_label};
use crate::ui::parts::text_area::TextArea;
use crate::wire::error::UiError;
use crate::wire::inbox::InboxFilter;
use crate::wire::many::{DoneItem, Gone, ManyDone, ManyItem, ManyView, NotDecided};

const FORM: &str = "decide-many";

/// What is about to be decided.
#[component]
pub fn ManyPage() -> impl IntoView {
    let (filter, verdict, ids) = use_query_map().with_untracked(|query| {
        (
            filter_of(query),
            query.get("verdict").unwrap_or_default(),
            query.get_all("pick").unwrap_or_default(),
        )
    });
    view! {
        <Suspense>
            {
                let (filter, verdict, ids) = (filter.clone(), verdict.clone(), ids.clone());
                Suspend::new(async move {
                    match load_many(verdict, ids).await {
                        Err(error) => problem(&error),
                        Ok(view) => view! { <Many view=view filter=filter /> }.into_any(),
                    }
                })
            }
        </Suspense>
    }
}

#[component]
fn Back(filter: InboxFilter) -> impl IntoView {
    view! {
        <a class="back" href=address(&filter)>
            <Icon path=icons::BACK />
            "Inbox"
        </a>
    }
}

#[component]
fn Many(view: ManyView, filter: InboxFilter) -> impl IntoView {
    let ManyView { verdict, plain, special, long, gone, problem } = view;
    let is_approval = verdict == "approve";
    let count = plain.len() + special.len();
    let title = match (&problem, is_approval, count) {
        (Some(_), ..) => "Nothing to decide".to_owned(),
        (None, _, 0) if long.is_empty() => "Nothing is left to decide".to_owned(),
        (None, _, 0) => "Nothing to decide together".to_owned(),
        (None, true, 1) => "Approve 1 action?".to_owned(),
        (None, true, count) => format!("Approve {count} actions?"),
        (None, false, 1) => "Reject 1 action?".to_owned(),
        (None, false, count) => format!("Reject {count} actions?"),
    };
    let form = (count > 0).then(|| {
        view! { <ManyForm verdict=verdict plain=plain special=special filter=filter.clone() /> }
    });
    let long = (!long.is_empty()).then(|| {
        view! {
            <section class="many-group" aria-labelledby="many-long">
                <h2 id="many-long">"Too long to approve here"</h2>
                <p>
                    "Nothing is approved that was not shown whole. Open each of these and decide it there, or reject them together."
                </p>
                <Items items=long choice=Choice::None />
            </section>
        }
    });
    let gone = (!gone.is_empty()).then(|| {
        view! {
            <section class="many-group" aria-labelledby="many-gone">
                <h2 id="many-gone">"Not waiting any more"</h2>
                <ul class="many-gone">{gone.into_iter().map(|gone| view! { <li><GoneLine gone=gone /></li> }).collect_view()}</ul>
            </section>
        }
    });
    view! {
        <Title text=title.clone() />
        <div class="page many" data-still="">
            <Back filter=filter />
            <h1>{title}</h1>
            {problem.map(|sentence| view! { <Alert sentence=sentence /> })}
            {form}
            {long}
            {gone}
        </div>
    }
}

#[component]
fn ManyForm(
    verdict: String,
    plain: Vec<ManyItem>,
    special: Vec<ManyItem>,
    filter: InboxFilter,
) -> impl IntoView {
    let is_approval = verdict == "approve";
    let lead = if is_approval {
        "Each is shown whole. What is ticked is approved as it was proposed."
    } else {
        "What is ticked is rejected."
    };
    let special = (!special.is_empty()).then(|| {
        view! {
            <section class="many-group" aria-labelledby="many-own">
                <h2 id="many-own">"These need a tick of their own"</h2>
                <Items items=special choice=Choice::Own />
            </section>
        }
    });
    let button = if is_approval {
        view! {
            <button class="button button--yes" type="submit">
                <Icon path=icons::CHECK />
                <span class="many-count">"Approve"</span>
            </button>
        }
        .into_any()
    } else {
        view! {
            <button class="button button--no" type="submit">
                <Icon path=icons::CROSS />
                <span class="many-count">"Reject"</span>
            </button>
        }
        .into_any()
    };
    let back = address(&filter);
    view! {
        <form id=FORM class="many-form" method="post" action="/rpc/decide_many" autocomplete="off">
            <input type="hidden" name="sent[verdict]" value=verdict />
            {hidden_list(&filter, None)}
            // Enter on a box presses the first submit button of its form. This one closes a dialog, and there is none.
            <button type="submit" formmethod="dialog" hidden></button>
            <p class="many-lead">{lead}</p>
            <Items items=plain choice=Choice::Ticked />
            {special}
            <div class="many-bar">
                <div class="field">
                    <label for="reason">"Reason for all of them, for the agents and the history (optional)"</label>
                    <TextArea id="reason".to_owned() name="sent[comment]".to_owned() form=FORM rows=2 />
                </div>
                <div class="many-buttons">
                    {button}
                    <a class="button" href=back>
                        "Back"
                    </a>
                </div>
            </div>
        </form>
    }
}

#[component]
fn Items(items: Vec<ManyItem>, choice: Choice) -> impl IntoView {
    let items =
        items.into_iter().map(|item| view! { <ManyItemView item=item choice=choice /> }).collect_view();
    view! { <ol class="many-list">{items}</ol> }
}

#[component]
fn GoneLine(gone: Gone) -> impl IntoView {
    let Gone { id, title, status, by } = gone;
    let Some(title) = title else {
        return view! { <span>"There is no action " <code>{id}</code> " here."</span> }.into_any();
    };
    let label = status_label(&status).to_owned();
    view! {
        <p class="facts">
            <Badge state=status label=label />
            <a href=format!("/inbox/{id}")>{title}</a>
            {by.map(|by| view! { <span>"by " {by}</span> })}
        </p>
    }
    .into_any()
}

/// What came of each.
#[component]
pub fn ManyDonePage() -> impl IntoView {
    let (filter, items, refused) = use_query_map().with_untracked(|query| {
        let done = query.get_all("done").unwrap_or_default().into_iter().map(|id| (id, None));
        let left = query.get_all("left").unwrap_or_default();
        let left = left.iter().filter_map(|text| {
            let (id, code) = text.split_once('.')?;
            Some((id.to_owned(), Some(NotDecided::from_code(code)?)))
        });
        let items: Vec<_> = done.chain(left).collect();
        (filter_of(query), items, refusal_in(query))
    });
    view! {
        <Suspense>
            {
                let (filter, items, refused) = (filter.clone(), items.clone(), refused.clone());
                Suspend::new(async move {
                    match load_many_done(items).await {
                        Err(error) => problem(&error),
                        Ok(done) => view! { <Done done=done filter=filter refused=refused /> }.into_any(),
                    }
                })
            }
        </Suspense>
    }
}

#[component]
fn Done(done: ManyDone, filter: InboxFilter, refused: Option<UiError>) -> impl IntoView {
    let ManyDone { decided, left } = done;
    let title = match (decided.len(), left.len()) {
        (0, 0) => "Nothing was decided".to_owned(),
        (decided, 0) => format!("{decided} decided"),
        (0, left) => format!("None decided, {left} not"),
        (decided, left) => format!("{decided} decided, {left} not"),
    };
    let nothing = (decided.is_empty() && left.is_empty() && refused.is_none())
        .then(|| view! { <p>"Nothing was ticked, so everything is as it was."</p> });
    view! {
        <Title text=title.clone() />
        <div class="page many" data-still="">
            <Back filter=filter.clone() />
            <div role="status">
                <h1>{title}</h1>
            </div>
            {refused.map(|refused| view! { <Alert sentence=refused.to_string() /> })}
            {nothing}
            <DoneList title="Not decided by you just now" items=left />
            <DoneList title="Decided" items=decided />
            <p>
                <a class="button" href=address(&filter)>
                    "Go on in the inbox"
                </a>
            </p>
        </div>
    }
}

#[component]
fn DoneList(title: &'static str, items: Vec<DoneItem>) -> impl IntoView {
    let lines = items
        .into_iter()
        .map(|DoneItem { now, reason }| {
            view! {
                <li>
                    <GoneLine gone=now />
                    {reason.map(|reason| view! { <p class="many-reason">{reason}</p> })}
                </li>
            }
        })
        .collect::<Vec<_>>();
    (!lines.is_empty()).then(|| {
        view! {
            <section class="many-group">
                <h2>{title}</h2>
                <ul class="many-gone">{lines}</ul>
            </section>
        }
    })
}
