//! Where a server listens, and what people reach it at.

use std::net::SocketAddr;

use clap::Args;

use crate::server::config::{ConfigError, PublicUrl};

/// Where people and agents reach the server.
#[derive(Debug, Args)]
pub struct AddressArgs {
    /// The server listens on this address and port; port 0 takes a free one
    #[arg(
        long,
        env = "IMPRI_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8484",
        global = true
    )]
    pub listen: SocketAddr,

    /// What people's browsers and agents reach the server at, such as `https://impri.example.com`; with https,
    /// cookies are Secure [default: http:// and the address listened on]
    #[arg(long, env = "IMPRI_PUBLIC_URL", value_name = "URL", global = true)]
    pub public_url: Option<String>,
}

impl AddressArgs {
    /// What was said of it, checked.
    ///
    /// # Errors
    /// If it is no origin.
    pub fn given(&self) -> Result<Option<PublicUrl>, ConfigError> {
        self.public_url.as_deref().map(PublicUrl::parse).transpose()
    }

    /// What a server with these settings is reached at, for a command beside it.
    ///
    /// # Errors
    /// If it is no origin, or nobody but that server knows its port.
    pub fn of_server(&self) -> Result<PublicUrl, ConfigError> {
        match self.given()? {
            None if self.listen.port() == 0 => Err(ConfigError::UnknownPort),
            given => Ok(PublicUrl::or_bound(given, self.listen)),
        }
    }
}
