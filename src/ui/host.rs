//! The one seam between the two builds of the pages: what exists on both sides but acts on one of them only.

use leptos::prelude::*;

/// Where the built site's files are, as paths below the server's root. `boot` provides it as context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageAssets {
    /// The module that starts the page.
    pub start_js: String,
    /// The glue between script and program, which that module imports.
    pub glue_js: String,
    /// The program that it starts.
    pub wasm: String,
    /// The style sheet.
    pub css: String,
}

/// The built site's files; empty paths if there is no built site, as in tests.
pub fn page_assets() -> PageAssets {
    use_context::<PageAssets>().unwrap_or_default()
}

/// A text as it stands in `<title>`, which Leptos 0.8 writes into the page as it is.
#[cfg(feature = "ssr")]
pub fn title_text(text: String) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The browser takes a title as text.
#[cfg(not(feature = "ssr"))]
pub fn title_text(text: String) -> String {
    text
}

/// Sets the status of the answer that carries the page.
#[cfg(feature = "ssr")]
pub fn set_status(code: u16) {
    if let (Some(response), Ok(status)) =
        (use_context::<leptos_axum::ResponseOptions>(), axum::http::StatusCode::from_u16(code))
    {
        response.set_status(status);
    }
}

/// A page that was made in the browser has no status.
#[cfg(not(feature = "ssr"))]
pub fn set_status(_code: u16) {}
