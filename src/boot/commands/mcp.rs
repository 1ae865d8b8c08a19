//! `impri mcp`

use crate::boot::cli::McpArgs;
use crate::boot::telemetry;
use crate::server::mcp::stdio;

/// Serves an agent's host on stdin and stdout until it closes stdin.
///
/// # Errors
/// Says which setting is wrong, or that the host does not speak MCP.
pub async fn run(args: McpArgs) -> anyhow::Result<()> {
    let settings = args.into_settings()?;
    telemetry::init(&settings.log)?;
    stdio::serve(settings.base, &settings.key).await?;
    Ok(())
}
