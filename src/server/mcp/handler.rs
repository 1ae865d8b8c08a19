//! MCP's side of the tools: lists them, hands calls on, tells a waiting host that it still waits.

use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::arguments::{self, Await};
use super::client::Client;
use super::repeats::Repeats;
use super::road::Road;
use super::tools::{self, Outcome};
use super::{catalogue, hold, words};

/// How often a waiting host hears that it still waits.
const BEAT: Duration = Duration::from_secs(10);

/// Serves the tools to one host, or to one request.
pub(super) struct Handler {
    to: To,
    repeats: Arc<Repeats>,
}

/// With whose key the REST API is called.
enum To {
    /// With the one of this process.
    Own(Client),
    /// With the one that each request brings.
    Callers(Road),
}

impl Handler {
    /// For a process that has a key of its own.
    pub(super) fn own(client: Client) -> Self {
        Self { to: To::Own(client), repeats: Arc::default() }
    }

    /// For a server whose callers bring theirs.
    pub(super) fn callers(road: Road) -> Self {
        Self { to: To::Callers(road), repeats: Arc::default() }
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        match &self.to {
            To::Own(client) => client.clone(),
            To::Callers(road) => {
                let sent = context
                    .extensions
                    .get::<Parts>()
                    .and_then(|parts| parts.headers.get(header::AUTHORIZATION));
                // Without one the REST API refuses, as it does everybody.
                let authorization = sent.cloned().unwrap_or_else(|| HeaderValue::from_static(""));
                Client::new(road.clone(), authorization)
            }
        }
    }

    async fn await_decision(
        &self,
        client: &Client,
        sent: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Outcome, String> {
        let Await { action_id, timeout_s } = arguments::read(sent)?;
        let id = arguments::read_id(&action_id)?;
        let token = context.meta.get_progress_token();
        let is_beside = matches!(self.to, To::Own(_));
        let hold = hold::hold(timeout_s, host(context).as_deref(), is_beside || token.is_some());
        let waiting = tools::await_decision(client, id, hold);
        tokio::pin!(waiting);
        let began = Instant::now();
        let mut beat = tokio::time::interval(BEAT);
        loop {
            tokio::select! {
                outcome = &mut waiting => return Ok(outcome),
                // The host gave up the wait. The action waits on, and what is returned here reaches nobody.
                () = context.ct.cancelled() => return Err("The wait was given up; the action still waits.".to_owned()),
                _ = beat.tick(), if token.is_some() && !hold.is_zero() => {
                    let Some(token) = token.clone() else { continue };
                    let waited = began.elapsed().as_secs();
                    let progress = ProgressNotificationParam::new(token, began.elapsed().as_secs_f64())
                        .with_total(hold.as_secs_f64())
                        .with_message(words::waiting(waited, hold.as_secs()));
                    // A host that does not read must not stop the wait; it hears the next beat, or the answer.
                    let told = context.peer.notify_progress(progress);
                    if !matches!(tokio::time::timeout(Duration::from_secs(1), told).await, Ok(Ok(()))) {
                        tracing::debug!("a waiting host did not take its progress");
                    }
                }
            }
        }
    }
}

/// How the host names itself: in the handshake, with the request, or as the sender of the HTTP request.
fn host(context: &RequestContext<RoleServer>) -> Option<String> {
    match context.extensions.get::<Parts>() {
        // Without a session the handshake is forgotten, and what stands in its place is this library's name.
        Some(parts) => context
            .meta
            .client_info()
            .map(|host| host.name)
            .or_else(|| parts.headers.get(header::USER_AGENT)?.to_str().ok().map(str::to_owned)),
        None => context.client_info().map(|host| host.name),
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let me = Implementation::new("impri", env!("CARGO_PKG_VERSION")).with_title("Impri");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(me)
            .with_instructions(words::INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalogue::by_name(name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(catalogue::TOOLS.clone()))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(&context);
        let sent = call.arguments.unwrap_or_default();
        let told = match call.name.as_ref() {
            catalogue::PUSH => tools::push(&client, &self.repeats, sent).await,
            catalogue::AWAIT => self.await_decision(&client, sent, &context).await,
            catalogue::CLAIM => tools::claim(&client, sent).await,
            catalogue::REPORT => tools::report(&client, sent).await,
            catalogue::CANCEL => tools::cancel(&client, sent).await,
            catalogue::STATUS => tools::inbox_status(&client, sent).await,
            _ => {
                let names: Vec<&str> = catalogue::TOOLS.iter().map(|tool| tool.name.as_ref()).collect();
                let message = format!("There is no such tool. The tools are {}.", names.join(", "));
                return Err(ErrorData::invalid_params(message, None));
            }
        };
        Ok(match Outcome::from(told) {
            Outcome::Done { text, data } => {
                let mut result = CallToolResult::structured(data);
                result.content = vec![ContentBlock::text(text)];
                result.into()
            }
            Outcome::Failed(text) => CallToolResult::error(vec![ContentBlock::text(text)]).into(),
        })
    }
}
