//! The sheet that tells the keys.

use leptos::attr::custom::custom_attribute;
use leptos::prelude::*;

/// The id of the sheet.
pub const SHEET: &str = "shortcuts";

/// The key after `g`, where it leads, and what is there.
pub const PAGES: [(&str, &str, &str); 6] = [
    ("i", "/inbox", "Inbox"),
    ("h", "/history", "History"),
    ("c", "/connect", "Connect an agent"),
    ("k", "/keys", "Keys"),
    ("p", "/people", "People"),
    // Not `a`: after too long a pause that would be Approve.
    ("s", "/account", "Account"),
];

const CARD: [(&str, &str); 6] = [
    ("a", "Approve"),
    ("r", "Reject"),
    ("c", "Give a reason"),
    ("e", "Edit"),
    ("v", "Raw, or as it is meant"),
    ("u", "Back to the list"),
];

const LIST: [(&str, &str); 6] = [
    ("j", "Next card"),
    ("k", "Card before"),
    ("o", "Into the card"),
    ("x", "Select"),
    ("/", "Search"),
    ("Esc", "Out of a field"),
];

/// The sheet. It opens with `?`, or with the button of [`ShortcutsButton`] where the browser knows such buttons.
#[component]
pub fn Shortcuts() -> impl IntoView {
    let key = |key: &'static str, words: &'static str| {
        view! {
            <div>
                <dt>
                    <kbd>{key}</kbd>
                </dt>
                <dd>{words}</dd>
            </div>
        }
    };
    let rows = |keys: &'static [(&'static str, &'static str)]| {
        keys.iter().map(|(letter, words)| key(letter, words)).collect_view()
    };
    let pages = PAGES.map(|(letter, _, words)| {
        view! {
            <div>
                <dt>
                    <kbd>"g"</kbd>
                    " "
                    <kbd>{letter}</kbd>
                </dt>
                <dd>{words}</dd>
            </div>
        }
    });
    view! {
        <dialog id=SHEET class="sheet" aria-labelledby="shortcuts-title">
            <h2 id="shortcuts-title">"Keyboard shortcuts"</h2>
            <div class="sheet-columns">
                <section>
                    <h3>"The list"</h3>
                    <dl class="keys">{rows(&LIST)}</dl>
                </section>
                <section>
                    <h3>"The card"</h3>
                    <dl class="keys">{rows(&CARD)}</dl>
                </section>
                <section>
                    <h3>"Go to"</h3>
                    <dl class="keys">{pages.collect_view()} {key("?", "This sheet")}</dl>
                </section>
            </div>
            <p class="hint">"They rest while you type, also where there is no field; Esc wakes them. Your account switches them off."</p>
            <form method="dialog">
                <button class="button">"Close"</button>
            </form>
        </dialog>
    }
    .add_any_attr(custom_attribute("closedby", "any"))
}

/// Opens the sheet (Invoker Commands of the HTML standard: no script of ours).
#[component]
pub fn ShortcutsButton() -> impl IntoView {
    view! {
        <button class="menu-button" type="button">
            "Keyboard shortcuts"
        </button>
    }
    .add_any_attr((custom_attribute("command", "show-modal"), custom_attribute("commandfor", SHEET)))
}
