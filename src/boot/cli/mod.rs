//! The command line: every command, flag and environment variable.
//!
//! Owns their names and help texts, and hands on typed values. Must not do what the commands do.

mod address;
mod audit;
mod channels;
mod database;
mod lifetime;
mod mcp;
mod receipts;
mod serve;
mod smtp;

use std::time::Duration;

use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};

pub use self::address::AddressArgs;
pub use self::audit::{AuditArgs, AuditCommand, AuditExportArgs, AuditVerifyArgs};
pub use self::channels::{ChannelsArgs, ChannelsCommand, PlatformArgs, SecretsArgs, SecretsCommand};
pub use self::database::DatabaseArgs;
use self::lifetime::parse_lifetime;
pub use self::mcp::{McpArgs, McpSettings};
pub use self::receipts::{ReceiptsArgs, ReceiptsCommand, VerifyArgs};
pub use self::serve::{LogFormatArg, ServeArgs};
pub use self::smtp::SmtpArgs;

/// An approval inbox for AI agents: an agent proposes, a person decides, the agent goes on.
#[derive(Debug, Parser)]
#[command(name = "impri", version, disable_help_subcommand = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server: the inbox for people and the API for agents
    Serve(Box<ServeArgs>),
    /// The keys that agents and other programs call the API with
    Keys(KeysArgs),
    /// The people who decide
    Users(UsersArgs),
    /// The project's settings
    Project(ProjectArgs),
    /// Give an agent's host the tools to propose and wait, by the Model Context Protocol on stdin and stdout
    Mcp(McpArgs),
    /// The sealed history: take it away as a file that proves itself, and verify it
    Audit(AuditArgs),
    /// The channels that people are told through: Telegram, e-mail and others
    Channels(Box<ChannelsArgs>),
    /// What is sealed at rest: private keys, secrets of callbacks and channels, and the keys that seal them
    Secrets(SecretsArgs),
    /// Receipts of decisions: verify them, and look after the keys that sign them
    Receipts(ReceiptsArgs),
}

/// `impri keys`
#[derive(Debug, Args)]
pub struct KeysArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: KeysCommand,
}

/// What can be done with keys.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a key and print it, alone, on stdout; it is not shown again
    Create {
        /// What the key is for, as the history will name it
        #[arg(long)]
        name: String,
        /// What the key may do; repeat it for more. An agent's key needs actions and must not have decide
        #[arg(long = "scope", value_name = "SCOPE", required = true)]
        scopes: Vec<ScopeArg>,
        /// End the key after this time, such as 30d, 12h or 45m [default: never]
        #[arg(long, value_name = "TIME", value_parser = parse_lifetime)]
        expires_in: Option<Duration>,
    },
    /// List all keys, without the keys themselves
    List,
    /// End a key at once
    Revoke {
        /// The key's id or visible prefix, as the list shows it
        key: String,
    },
}

/// What a key may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeArg {
    /// Propose, read, wait, claim and report
    Actions,
    /// Read and decide
    Decide,
    /// Read the history and export it
    Audit,
    /// Everything
    Admin,
}

/// `impri users`
#[derive(Debug, Args)]
pub struct UsersArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: UsersCommand,
}

/// What can be done with people's accounts.
#[derive(Debug, Subcommand)]
pub enum UsersCommand {
    /// Make an account
    Create {
        /// The address to sign in with
        #[arg(long)]
        email: String,
        /// The name that decisions are signed with
        #[arg(long)]
        name: String,
        /// Read the password from stdin, to the first line's end
        #[arg(long, required = true)]
        password_stdin: bool,
        /// What the person may do
        #[arg(long, default_value = "reviewer")]
        role: RoleArg,
    },
    /// List all accounts
    List,
    /// Change what a person may do
    SetRole {
        /// The address they sign in with
        #[arg(long)]
        email: String,
        /// What they may do from now on
        #[arg(long)]
        role: RoleArg,
    },
    /// Give a person who lost theirs another password, and end their sessions
    SetPassword {
        /// The address they sign in with
        #[arg(long)]
        email: String,
        /// Read the password from stdin, to the first line's end
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// Keep a person from signing in, and end their sessions
    Disable {
        /// The address they sign in with
        #[arg(long)]
        email: String,
    },
    /// Let a disabled person sign in again
    Enable {
        /// The address they sign in with
        #[arg(long)]
        email: String,
    },
}

/// What a person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RoleArg {
    /// Read, and decide nothing
    Viewer,
    /// Decide
    Reviewer,
    /// Decide, and manage keys, people and settings
    Admin,
}

/// `impri project`
#[derive(Debug, Args)]
pub struct ProjectArgs {
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(subcommand)]
    pub command: ProjectCommand,
}

/// What can be done with the project.
#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// Show the settings
    Show {
        /// Show the secret that callbacks are signed with, too
        #[arg(long)]
        secret: bool,
    },
    /// Make a new secret for callbacks and print it, alone, on stdout; the old one signs nothing any more
    RotateWebhookSecret {
        /// Do it although the secret before can't be opened here, because what it was sealed with is lost for good
        #[arg(long)]
        lost: bool,
    },
    /// Change one setting
    Set {
        /// Which
        setting: ProjectSetting,
        /// To what
        value: SwitchArg,
    },
}

/// A setting of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProjectSetting {
    /// Whether somebody may decide what they proposed themselves; for one-person set-ups
    #[value(name = "allow_self_approval", alias = "allow-self-approval")]
    AllowSelfApproval,
}

/// A setting with two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SwitchArg {
    /// Yes
    On,
    /// No
    Off,
}

/// Every environment variable that some command reads.
pub fn environment_variables() -> Vec<String> {
    let mut names = Vec::new();
    collect(&Cli::command(), &mut names);
    names
}

fn collect(command: &clap::Command, names: &mut Vec<String>) {
    names.extend(
        command.get_arguments().filter_map(|arg| Some(arg.get_env()?.to_string_lossy().into_owned())),
    );
    for subcommand in command.get_subcommands() {
        collect(subcommand, names);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_tree_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_flag_says_what_it_does() {
        fn check(command: &clap::Command) {
            for arg in
                command.get_arguments().filter(|arg| arg.get_id() != "help" && arg.get_id() != "version")
            {
                assert!(arg.get_help().is_some(), "{} of {}", arg.get_id(), command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&Cli::command());
    }

    #[test]
    fn database_flags_may_follow_the_command() {
        let cli = Cli::try_parse_from(["impri", "keys", "list", "--data-dir", "/data"]).expect("valid");
        let Command::Keys(keys) = cli.command else { panic!("not the keys command") };
        assert_eq!(keys.database.data_dir, Some("/data".into()));
    }

    #[test]
    fn reads_a_whole_key_request() {
        let line = "impri keys create --name bot --scope actions --scope audit --expires-in 30d";
        let cli = Cli::try_parse_from(line.split(' ')).expect("valid");
        let Command::Keys(KeysArgs { command: KeysCommand::Create { name, scopes, expires_in }, .. }) =
            cli.command
        else {
            panic!("not a key request")
        };
        assert_eq!((name.as_str(), scopes), ("bot", vec![ScopeArg::Actions, ScopeArg::Audit]));
        assert_eq!(expires_in, Some(Duration::from_hours(30 * 24)));
    }

    #[test]
    fn a_key_without_a_scope_is_refused() {
        assert!(Cli::try_parse_from(["impri", "keys", "create", "--name", "bot"]).is_err());
    }

    #[test]
    fn knows_its_variables() {
        let names = environment_variables();
        for name in ["DATABASE_URL", "IMPRI_LISTEN", "IMPRI_ADMIN_PASSWORD_FILE"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
