//! Puts the doors together: the agent API, the pages with their server functions, the event stream, static files.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Router};
use leptos::config::LeptosOptions;
use leptos::prelude::{provide_context, use_context};
use leptos::server_fn::error::SERVER_FN_ERROR_HEADER;
use leptos_axum::{LeptosRoutes as _, ResponseOptions, generate_route_list};
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::RequestBodyTimeoutLayer;
use tower_sessions::cookie::SameSite;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

use super::{second_look, sessions, typed};
use crate::server::auth::csrf;
use crate::server::config::{MetricsAccess, RateSettings};
use crate::server::door::ClientAddress;
use crate::server::http::assets::{self, SiteNames};
use crate::server::http::limit::Limits;
use crate::server::http::measured::{self, Measured};
use crate::server::http::{HttpState, events, health, history, observe, v1};
use crate::server::mcp;
use crate::server::service::{SESSION_DAYS, Services};
use crate::server::view;
use crate::ui::app::App;
use crate::ui::host::PageAssets;
use crate::ui::pages::docs::Docs;
use crate::ui::shell::shell;
use crate::wire::error::UiError;

/// A refusal of a server function is a word or two of JSON; more is something else.
const ERROR_MAX_BYTES: usize = 4_096;

/// A body of which nothing comes for this long is given up: it would hold what came of it for as long as its sender likes.
const SILENCE: Duration = Duration::from_secs(30);

/// What the router has to know of the settings.
#[derive(Debug, Clone, Default)]
pub struct RouterSettings {
    /// Whether people reach this server by https.
    pub is_https: bool,
    /// Whether a reverse proxy's word on the caller's address counts.
    pub behind_proxy: bool,
    /// How much a key may ask.
    pub rates: RateSettings,
    /// Who may read `/metrics`.
    pub metrics: MetricsAccess,
}

/// Every route of the server. Parked requests answer when `stop` is cancelled.
pub fn router(services: Services, settings: &RouterSettings, stop: CancellationToken) -> Router {
    let limits = Arc::new(Limits::new(&settings.rates, services.clock()));
    let state = HttpState { services: services.clone(), stop, limits };
    let is_https = settings.is_https;
    let api = v1::router().with_state(state.clone());
    let tools = mcp::http::router(api.clone(), &state);
    let health = Router::new().route("/healthz", get(health::alive)).route("/readyz", get(health::ready));
    let measured = measured(&services, &settings.metrics);
    let counts = (!matches!(settings.metrics, MetricsAccess::Off)).then(|| Arc::clone(services.metrics()));
    Router::new()
        .merge(health)
        .merge(measured)
        .with_state(state.clone())
        .merge(api)
        .merge(tools)
        .merge(pages(services, settings, state))
        .layer(CatchPanicLayer::new())
        .layer(RequestBodyTimeoutLayer::new(SILENCE))
        .layer(middleware::from_fn(move |request, next| {
            observe::observe(is_https, counts.clone(), request, next)
        }))
}

/// `/metrics`, if the operator asked for it.
fn measured(services: &Services, access: &MetricsAccess) -> Router<HttpState> {
    if matches!(access, MetricsAccess::Off) {
        return Router::new();
    }
    let measured = Measured { access: access.clone(), since: services.clock().now() };
    Router::new().route("/metrics", get(measured::metrics)).layer(Extension(measured))
}

fn pages(services: Services, settings: &RouterSettings, state: HttpState) -> Router {
    let options = LeptosOptions::builder().output_name("impri").build();
    let sessions = SessionManagerLayer::new(sessions::store(services.pool()))
        .with_name("impri_session")
        .with_http_only(true)
        .with_secure(settings.is_https)
        .with_same_site(SameSite::Lax)
        .with_expiry(Expiry::OnInactivity(time::Duration::days(SESSION_DAYS)));
    let origin: Arc<str> = services.public_url().into();
    let behind_proxy = settings.behind_proxy;
    let provide = page_context(services.clone());
    let lost = leptos_axum::render_app_async_with_context(provide.clone(), shell);
    let again = {
        let provide = provide.clone();
        move |request: Request| typed::answer(provide.clone(), request)
    };
    let second_look = {
        let (services, provide) = (services.clone(), provide.clone());
        move |session: Session, request: Request| {
            second_look::answer(services.clone(), provide.clone(), session, request)
        }
    };
    let stream = Router::new()
        .route("/events", get(events::stream))
        .route("/history/export", post(history::export))
        .with_state(state);
    let routes = Router::new().leptos_routes_with_context(&options, generate_route_list(App), provide, shell);
    let routes =
        typed::PATHS.into_iter().fold(routes, |routes, path| routes.route(path, post(again.clone())));
    routes
        .route("/inbox/{id}/sure", post(second_look))
        .fallback(move |request: Request| {
            let file = assets::serve(&request);
            let lost = lost.clone();
            async move {
                match file {
                    Some(file) => file,
                    None => lost(request).await,
                }
            }
        })
        .with_state(options)
        .layer(middleware::map_response(name_misread))
        .layer(middleware::map_response(finish_redirect))
        .layer(CompressionLayer::new().quality(tower_http::CompressionLevel::Fastest))
        .merge(stream)
        .layer(sessions)
        .layer(middleware::from_fn(move |request, next| csrf::guard(Arc::clone(&origin), request, next)))
        .layer(middleware::from_fn(move |request, next| name_client(behind_proxy, request, next)))
}

/// What every page and server function may use, and the policy that its answer carries.
fn page_context(services: Services) -> impl Fn() + Clone + Send + Sync + 'static {
    let names = SiteNames::embedded();
    let page_assets =
        PageAssets { start_js: names.start_js, glue_js: names.glue_js, wasm: names.wasm, css: names.css };
    let docs = Docs::new(view::docs::docs(&v1::description(), services.public_url()));
    move || {
        provide_context(services.clone());
        provide_context(Docs::clone(&docs));
        provide_context(page_assets.clone());
        let (Some(nonce), Some(response)) = (leptos::nonce::use_nonce(), use_context::<ResponseOptions>())
        else {
            return;
        };
        // What Leptos writes inline carries the nonce; everything else comes from files of ours.
        let policy = format!(
            "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; \
             font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'"
        );
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            response.insert_header(header::CONTENT_SECURITY_POLICY, policy);
        }
    }
}

/// A server function whose arguments can't be read is refused by the framework, before any code of ours could give the
/// answer its status (leptos 0.8 answers 500 always; remove with 0.9).
async fn name_misread(response: Response) -> Response {
    let is_failure = response.status() == StatusCode::INTERNAL_SERVER_ERROR;
    if !is_failure || !response.headers().contains_key(SERVER_FN_ERROR_HEADER) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, ERROR_MAX_BYTES).await.unwrap_or_default();
    if serde_json::from_slice::<UiError>(&bytes).is_ok_and(|error| error == UiError::BadRequest) {
        parts.status = StatusCode::BAD_REQUEST;
    }
    Response::from_parts(parts, Body::from(bytes))
}

/// Leptos redirects only callers that name `text/html`; for everybody else a page's redirect is one too.
async fn finish_redirect(mut response: Response) -> Response {
    let is_page = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    if is_page && response.status().is_success() && response.headers().contains_key(header::LOCATION) {
        response.headers_mut().remove("serverfnredirect");
        *response.status_mut() = StatusCode::FOUND;
    }
    response
}

/// Notes the caller's network address, as far as it can be believed.
async fn name_client(behind_proxy: bool, mut request: Request, next: Next) -> Response {
    let forwarded = request.headers().get_all("x-forwarded-for").iter().next_back();
    let forwarded = forwarded.and_then(|value| value.to_str().ok()).and_then(|list| list.rsplit(',').next());
    let direct =
        request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(address)| address.ip());
    let address = match (behind_proxy, forwarded, direct) {
        (true, Some(last), _) if !last.trim().is_empty() => last.trim().to_owned(),
        (_, _, Some(ip)) => ip.to_string(),
        _ => "unknown".to_owned(),
    };
    request.extensions_mut().insert(ClientAddress(address));
    next.run(request).await
}
