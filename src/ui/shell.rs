//! The HTML document around the application.
//!
//! No script of ours is inline, so the content security policy needs none; what Leptos writes inline to hand over
//! data carries the nonce of the request.

use leptos::prelude::*;
use leptos_meta::MetaTags;

use super::app::App;
use super::host;

/// The whole document.
pub fn shell() -> impl IntoView {
    // Nothing is brought to life except the islands; so nothing else needs its data in the page.
    if let Some(context) = Owner::current_shared_context() {
        context.set_is_hydrating(false);
    }
    let assets = host::page_assets();
    let scripts = (!assets.start_js.is_empty()).then(|| {
        view! {
            <link rel="modulepreload" href=assets.start_js.clone() />
            <link rel="modulepreload" href=assets.glue_js.clone() />
            <link rel="preload" href=assets.wasm.clone() r#as="fetch" r#type="application/wasm" crossorigin="" />
            <script type="module" src="/live.js"></script>
            <script type="module" src="/notice.js"></script>
            <script type="module" src="/push.js"></script>
            <script type="module" src=assets.start_js.clone()></script>
        }
    });
    let style = (!assets.css.is_empty()).then(|| view! { <link rel="stylesheet" href=assets.css.clone() /> });
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
                <MetaTags />
                <meta name="color-scheme" content="light dark" />
                <meta name="theme-color" media="(prefers-color-scheme: light)" content="#ffffff" />
                <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#1b1b16" />
                <meta name="robots" content="noindex, nofollow" />
                <meta name="format-detection" content="telephone=no, date=no, email=no, address=no" />
                <link rel="icon" href="/favicon.svg" r#type="image/svg+xml" />
                <link rel="apple-touch-icon" href="/apple-touch-icon.png" />
                <link rel="manifest" href="/manifest.webmanifest" />
                {style}
                {scripts}
            </head>
            <body>
                <App />
            </body>
        </html>
    }
}
