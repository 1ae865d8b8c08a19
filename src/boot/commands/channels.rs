//! `impri channels`

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::process::ExitCode;

use anyhow::bail;

use super::keys::printable;
use super::{Desk, doctor, explain};
use crate::boot::cli::{ChannelsArgs, ChannelsCommand};
use crate::domain::audit::Actor;
use crate::domain::channel::Standing;
use crate::domain::decision::Channel;
use crate::server::config::PublicUrl;
use crate::server::notify::PlatformSettings;
use crate::server::service::SeenChannel;

/// Ends `doctor` where nothing is known to be broken, and not everything could be looked at.
const UNKNOWN: u8 = 3;

/// Runs the command.
///
/// # Errors
/// Says what could not be done, or that a channel does not work.
pub async fn run(args: ChannelsArgs) -> anyhow::Result<ExitCode> {
    let settings = args.platforms.settings()?;
    // Only a test has links in it.
    let public_url = match &args.command {
        ChannelsCommand::Test { .. } => Some(args.address.of_server()?),
        ChannelsCommand::List | ChannelsCommand::Doctor => None,
    };
    let public_url = public_url.as_ref().map(PublicUrl::as_str).unwrap_or_default();
    let mut desk = Desk::open_at(&args.database, public_url).await?;
    desk.services = desk.services.clone().with_platforms(settings.clone());
    let outcome = act(&desk, &args, &settings).await;
    desk.close().await;
    outcome
}

async fn act(desk: &Desk, args: &ChannelsArgs, settings: &PlatformSettings) -> anyhow::Result<ExitCode> {
    let channels = desk.services.list_channels(desk.project.id).await.map_err(explain)?;
    match &args.command {
        ChannelsCommand::List => {
            for channel in &channels {
                println!("{}", line(channel));
            }
        }
        ChannelsCommand::Doctor => {
            if !doctor::look(&desk.services, settings, &channels).await? {
                return Ok(ExitCode::from(UNKNOWN));
            }
        }
        ChannelsCommand::Test { channel } => {
            let mut said = test(desk, find(&channels, channel)?).await?;
            if args.address.public_url.is_none() {
                let guessed = desk.services.public_url();
                write!(said, "\nIts link leads to {guessed}; --public-url names another address.")?;
            }
            // Not `println`, which panics when the reader has gone.
            writeln!(io::stdout(), "{said}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn test(desk: &Desk, channel: &SeenChannel) -> anyhow::Result<String> {
    if let Some(lack) = doctor::lack(&desk.services, &channel.stored) {
        bail!("Nothing was sent: {lack}");
    }
    let (id, actor) = (channel.stored.id, Actor::Operator);
    let tested = desk.services.test_channel(desk.project.id, id, actor, Channel::cli()).await;
    let tested = tested.map_err(explain)?;
    match tested.ok {
        true => Ok(format!("The test message was taken. {}", printable(&tested.answer))),
        false => bail!("The test message was not taken: {}", printable(&tested.answer)),
    }
}

/// The one channel that has an id, or else a name: two may have the same.
fn find<'a>(channels: &'a [SeenChannel], word: &str) -> anyhow::Result<&'a SeenChannel> {
    if let Some(found) = channels.iter().find(|channel| channel.stored.id.to_string() == word) {
        return Ok(found);
    }
    let named: Vec<&SeenChannel> = channels.iter().filter(|channel| channel.stored.name == word).collect();
    match named.as_slice() {
        [] => bail!("There is no such channel: impri channels list shows them"),
        [one] => Ok(one),
        several => {
            let ids: Vec<String> = several.iter().map(|channel| channel.stored.id.to_string()).collect();
            bail!("{} channels have this name. Nothing was sent; give an id: {}", ids.len(), ids.join(", "))
        }
    }
}

fn line(channel: &SeenChannel) -> String {
    let stored = &channel.stored;
    let health = &stored.health;
    let standing = Standing::of(stored.enabled, health.error.is_some(), health.delivered_at.is_some());
    let mut state = standing.label().to_lowercase();
    if standing == Standing::Fails
        && let Some(error) = &health.error
    {
        state = format!("{state}: {}", printable(error));
    }
    format!(
        "{}  {:<9} {}  {} waiting, {state}",
        stored.id,
        stored.kind.as_str(),
        printable(&stored.name),
        channel.pending
    )
}
