//! Routes, and what stands around every page.

use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::SsrMode;
use leptos_router::components::{FlatRoutes, Redirect, Route, Router};
use leptos_router::path;

use super::host;
use super::pages::account::AccountPage;
use super::pages::action::ActionPage;
use super::pages::channels::ChannelsPage;
use super::pages::connect::ConnectPage;
use super::pages::docs::DocsPage;
use super::pages::history::HistoryPage;
use super::pages::inbox::InboxPage;
use super::pages::join::JoinPage;
use super::pages::keys::KeysPage;
use super::pages::many::{ManyDonePage, ManyPage};
use super::pages::not_found::NotFoundPage;
use super::pages::people::PeoplePage;
use super::pages::report::ReportPage;
use super::pages::second_look::SecondLookPage;
use super::pages::set_up::SetUpPage;
use super::pages::sign_in::SignInPage;
use super::parts::header::{Header, provide_door};
use super::parts::live::Offline;

/// The whole application.
///
/// Every page is rendered whole before its first byte is sent: so it works without wasm, has the right status and
/// may redirect.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_door();
    view! {
        <Title formatter=|page: String| host::title_text(format!("{page} · Impri")) />
        <Router>
            <a class="skip-link" href="#main">"Skip to the content"</a>
            <Header />
            <Offline />
            <main id="main" class="main" tabindex="-1">
                <FlatRoutes fallback=NotFoundPage>
                    <Route path=path!("/") view=|| view! { <Redirect path="/inbox" /> } ssr=SsrMode::Async />
                    <Route path=path!("/inbox") view=InboxPage ssr=SsrMode::Async />
                    <Route path=path!("/inbox/decide") view=ManyPage ssr=SsrMode::Async />
                    <Route path=path!("/inbox/decided") view=ManyDonePage ssr=SsrMode::Async />
                    <Route path=path!("/inbox/:id") view=ActionPage ssr=SsrMode::Async />
                    <Route path=path!("/inbox/:id/sure") view=SecondLookPage ssr=SsrMode::Async />
                    <Route path=path!("/history") view=HistoryPage ssr=SsrMode::Async />
                    <Route path=path!("/history/report") view=ReportPage ssr=SsrMode::Async />
                    <Route path=path!("/account") view=AccountPage ssr=SsrMode::Async />
                    <Route path=path!("/people") view=PeoplePage ssr=SsrMode::Async />
                    <Route path=path!("/keys") view=KeysPage ssr=SsrMode::Async />
                    <Route path=path!("/channels") view=ChannelsPage ssr=SsrMode::Async />
                    <Route path=path!("/connect") view=ConnectPage ssr=SsrMode::Async />
                    <Route path=path!("/join") view=JoinPage ssr=SsrMode::Async />
                    <Route path=path!("/docs") view=DocsPage ssr=SsrMode::Async />
                    <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async />
                    <Route path=path!("/setup") view=SetUpPage ssr=SsrMode::Async />
                </FlatRoutes>
            </main>
        </Router>
    }
}
