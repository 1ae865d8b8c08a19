//! The head of every page: where one is, how much waits, whether it is live, who is signed in.

use leptos::prelude::*;
use leptos_meta::{Html, Meta};
use leptos_router::hooks::use_location;

use super::icons::Mark;
use super::live::LiveSign;
use super::person_menu::PersonMenu;
use super::shortcuts::Shortcuts;
use crate::domain::preferences::Theme;
use crate::rpc::session::current_door;
use crate::wire::error::UiError;
use crate::wire::inbox::InboxView;
use crate::wire::session::{Door, Me};

/// Which door is open to who looks; loaded once per visit.
pub type DoorResource = Resource<Result<Door, UiError>>;

/// Makes the door known to every page.
pub fn provide_door() {
    provide_context::<DoorResource>(Resource::new(|| (), |()| current_door()));
}

/// Which door is open to who looks.
pub fn use_door() -> DoorResource {
    expect_context::<DoorResource>()
}

/// The head of the page.
#[component]
pub fn Header() -> impl IntoView {
    let door = use_door();
    view! {
        <header class="header">
            <a class="logo" href="/inbox">
                <Mark />
                "Impri"
            </a>
            <Suspense>
                {Suspend::new(async move {
                    match door.await {
                        Ok(Door::In(me)) => Some(view! { <SignedIn me=me /> }),
                        _ => None,
                    }
                })}
            </Suspense>
        </header>
    }
}

#[component]
fn SignedIn(me: Me) -> impl IntoView {
    let path = use_location().pathname.get_untracked();
    let current = |page: &str| path.starts_with(page).then_some("page");
    let theme = (me.theme != Theme::System).then(|| me.theme.as_str());
    // The bars of a phone's browser: the first one counts, and these stand before those of the shell.
    let bars = match me.theme {
        Theme::System => None,
        Theme::Light => Some("#ffffff"),
        Theme::Dark => Some("#1b1b16"),
    };
    let has_keys = me.shortcuts;
    let shortcuts = if me.shortcuts { "on" } else { "off" };
    view! {
        <Html {..} data-who=me.id.clone() data-theme=theme data-shortcuts=shortcuts />
        {bars.map(|colour| view! { <Meta name="theme-color" content=colour /> })}
        <nav class="nav" aria-label="Main">
            <a href="/inbox" aria-current=current("/inbox")>
                "Inbox "
                <span class="count">{count(me.pending)}</span>
            </a>
            <a href="/history" aria-current=current("/history")>
                "History"
            </a>
        </nav>
        <LiveSign />
        {has_keys.then(|| view! { <Shortcuts /> })}
        <PersonMenu me=me />
    }
}

/// The number that waits, as far as it is counted.
pub fn count(pending: u32) -> String {
    match pending {
        0 => String::new(),
        1..InboxView::COUNT_CAP => pending.to_string(),
        _ => format!("{}+", InboxView::COUNT_CAP - 1),
    }
}
