//! How to connect an agent: a key, and what to paste where.

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::rpc::connect::load_connect;
use crate::ui::parts::arrival_line::ArrivalLine;
use crate::ui::parts::copy_button::CopyButton;
use crate::ui::parts::problem::problem;
use crate::ui::parts::refused::{Again, Refused};
use crate::wire::connect::{ConnectView, FreshAgentKey, HostHelp, Snippet};

/// Connect an agent.
#[component]
pub fn ConnectPage() -> impl IntoView {
    let key = use_query_map().with_untracked(|query| query.get("key"));
    let refused = Refused::read();
    view! {
        <Title text="Connect an agent" />
        <Suspense>
            {
                let (refused, key) = (refused.clone(), key.clone());
                Suspend::new(async move {
                    match load_connect(key).await {
                        Err(error) => problem(&error),
                        Ok(view) => view! { <Connect view=view refused=refused /> }.into_any(),
                    }
                })
            }
        </Suspense>
    }
}

// The page has a shape of its own, so that news change nothing but what has arrived: the key that it shows is on no
// other page.
#[component]
fn Connect(view: ConnectView, refused: Refused) -> impl IntoView {
    let again = refused.of(|typed| view.may_make_keys && typed.text("name").is_some());
    let contents = view.hosts.iter().map(|host| {
        view! {
            <li>
                <a href=format!("#{}", host.id)>{host.name.clone()}</a>
            </li>
        }
    });
    let contents = contents.collect_view();
    view! {
        <div class="page connect" data-shape="connect">
            <h1>"Connect an agent"</h1>
            <p>
                "An agent proposes actions and waits for your decision, with a key of its own. Its key can't decide. "
                "Hosts that speak MCP get six tools for it; everything else uses " <a href="/docs" rel="external">
                    "the agent API"
                </a> "."
            </p>
            {refused.alert(&again)}
            {view.fresh.map(|fresh| view! { <Fresh fresh=fresh /> })}
            {if view.may_make_keys {
                view! { <MakeKey again=again /> }.into_any()
            } else {
                view! {
                    <p class="hint">"Only an admin makes keys. Ask one for the key of your agent; it begins with im_."</p>
                }
                .into_any()
            }}
            <section class="try" aria-label="Try it">
                <ArrivalLine arrival=view.arrival />
                {view.may_try.then(|| view! { <TryIt /> })}
            </section>
            <nav aria-label="Hosts" class="connect-hosts">
                <ul>{contents}</ul>
            </nav>
            {view.hosts.into_iter().map(|host| view! { <Host host=host /> }).collect_view()}
        </div>
    }
}

#[component]
fn Fresh(fresh: FreshAgentKey) -> impl IntoView {
    let stays = if fresh.name.is_empty() {
        "It is shown until its first action is there, for an hour at most, and stands in everything below. Keep it where your agent reads it."
    } else {
        "It is shown this once and stands in everything below. Keep it where your agent reads it."
    };
    let whose = if fresh.name.is_empty() { "your first agent".to_owned() } else { fresh.name };
    view! {
        <section class="fresh-key" aria-labelledby="fresh-key" role="status">
            <h2 id="fresh-key">"The key of " {whose}</h2>
            <p>{stays}</p>
            <Paste text=fresh.key />
        </section>
    }
}

#[component]
fn MakeKey(again: Again) -> impl IntoView {
    let state = again.field("name", "name", Some("name-hint"));
    view! {
        <form class="make-key" method="post" action="/rpc/make_agent_key">
            {again.alert()}
            <div class="field">
                <label for="name">"Name of the agent"</label>
                <input
                    type="text"
                    id="name"
                    name="name"
                    maxlength="100"
                    value=again.text("name", String::new())
                    autocomplete="off"
                    autofocus=state.is_wrong()
                    aria-invalid=state.invalid()
                    aria-describedby=state.described_by()
                    required
                />
                {state.below()}
            </div>
            <button class="button button--primary" type="submit">
                "Make a key"
            </button>
            <p class="hint" id="name-hint">
                "Cards and the history name its proposals by it."
            </p>
        </form>
    }
}

#[component]
fn TryIt() -> impl IntoView {
    view! {
        <form class="try-it" method="post" action="/rpc/send_test_action">
            <p class="hint">"No agent at hand? A test action does nothing and shows what you will see."</p>
            <button class="button" type="submit">
                "Send a test action"
            </button>
        </form>
    }
}

#[component]
fn Host(host: HostHelp) -> impl IntoView {
    let heading = host.id.clone();
    let snippets = host.snippets.into_iter().map(|Snippet { label, text }| {
        view! {
            <h3>{label}</h3>
            <Paste text=text />
        }
    });
    view! {
        <section class="connect-host" aria-labelledby=heading.clone()>
            <h2 id=host.id>{host.name}</h2>
            <p>{host.about}</p>
            {snippets.collect_view()}
        </section>
    }
}

#[component]
fn Paste(text: String) -> impl IntoView {
    view! {
        <div class="command">
            <pre tabindex="0"><code data-copy="">{text}</code></pre>
            <CopyButton />
        </div>
    }
}
