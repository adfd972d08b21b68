//! `[[notify]]`: how people hear of a loop that needs them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::workflow::words::wire_enum;
use crate::workflow::{Notification, NotificationChannel};

/// `[[notify]]`: one way in which people hear that a loop ended without green. Passwords and tokens are not
/// written here: they come from the environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotifySettings {
    /// The way.
    pub channel: Channel,
    /// The text of the message, with placeholders, in place of redgreen's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub template: Option<String>,
    /// For `issue_comment`: the repository's address. Without it, that of the remote `origin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub repository: Option<String>,
    /// For `issue_comment`: the number of the issue or pull request. Without it, what `REDGREEN_ISSUE` or CI says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub issue: Option<u64>,
    /// For `issue_comment`: the address of the API, where it is not the usual one of GitHub or GitLab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub api: Option<String>,
    /// For `webhook`: where the JSON is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub url: Option<String>,
    /// For `email`: who gets it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// For `email`: who sends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub from: Option<String>,
    /// For `email`: the server, `host` or `host:port`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub server: Option<String>,
    /// For `email`: the user's name at the server; the password is in `REDGREEN_SMTP_PASSWORD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub user: Option<String>,
    /// For `email`: how the connection is made private.
    #[serde(default, skip_serializing_if = "is_default")]
    pub security: MailSecurity,
}

impl NotifySettings {
    /// A channel with nothing said about it.
    pub fn of(channel: Channel) -> Self {
        Self {
            channel,
            template: None,
            repository: None,
            issue: None,
            api: None,
            url: None,
            to: Vec::new(),
            from: None,
            server: None,
            user: None,
            security: MailSecurity::default(),
        }
    }

    /// The same in the words of the workflow document, where it knows the channel.
    pub fn notification(&self) -> Option<Notification> {
        let channel = match self.channel {
            Channel::Cli => NotificationChannel::Cli,
            Channel::IssueComment => NotificationChannel::IssueComment,
            Channel::Slack => NotificationChannel::Slack,
            Channel::Email => NotificationChannel::Email,
            Channel::Webhook => return None,
        };
        Some(Notification { channel, template: self.template.clone() })
    }

    /// The settings that are there, and the channel that each is for.
    pub(super) fn specific(&self) -> [(&'static str, bool, Channel); 9] {
        [
            ("repository", self.repository.is_some(), Channel::IssueComment),
            ("issue", self.issue.is_some(), Channel::IssueComment),
            ("api", self.api.is_some(), Channel::IssueComment),
            ("url", self.url.is_some(), Channel::Webhook),
            ("to", !self.to.is_empty(), Channel::Email),
            ("from", self.from.is_some(), Channel::Email),
            ("server", self.server.is_some(), Channel::Email),
            ("user", self.user.is_some(), Channel::Email),
            ("security", self.security != MailSecurity::default(), Channel::Email),
        ]
    }

    /// The settings without which the channel reaches nobody.
    pub(super) fn needed(&self) -> &'static [&'static str] {
        match self.channel {
            Channel::Cli | Channel::IssueComment | Channel::Slack => &[],
            Channel::Email => &["to", "from", "server"],
            Channel::Webhook => &["url"],
        }
    }
}

fn is_default(security: &MailSecurity) -> bool {
    *security == MailSecurity::default()
}

wire_enum! {
    /// A way to reach people.
    pub enum Channel: "channel" {
        /// The terminal.
        Cli = "cli",
        /// A comment on an issue or a pull request, at GitHub or GitLab.
        IssueComment = "issue_comment",
        /// A message in Slack; its webhook's address is in `REDGREEN_SLACK_WEBHOOK`.
        Slack = "slack",
        /// Mail.
        Email = "email",
        /// JSON to an address of one's own; signed if `REDGREEN_WEBHOOK_SECRET` is set.
        Webhook = "webhook",
    }
}

wire_enum! {
    /// How a connection to a mail server is made private.
    #[derive(Default)]
    pub enum MailSecurity: "way to secure mail" {
        /// It begins in the open and must become private before anything is said.
        #[default]
        StartTls = "starttls",
        /// It is private from the beginning.
        Tls = "tls",
        /// It is not: for a server on this machine only.
        None = "none",
    }
}
