//! Mail, by SMTP.

use std::error::Error as _;
use std::time::Duration;

use lettre::message::{Mailbox, Message as Mail, SinglePart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Certificate, Tls, TlsParameters};
use lettre::{SmtpTransport, Transport as _};
use redgreen_model::config::{MailSecurity, NotifySettings};

use crate::channel::{Refusal, Sent, Way};
use crate::message::Message;
use crate::surroundings::Surroundings;

/// Where the password is.
const PASSWORD: &str = "REDGREEN_SMTP_PASSWORD";
/// How long the server may take for an answer.
const TIMEOUT: Duration = Duration::from_secs(15);
/// The most characters of a subject.
const SUBJECT_CHARS_MAX: usize = 150;
/// The most characters of a mail.
const MAIL_CHARS_MAX: usize = 60_000;

/// A mail server, and who gets the mail.
pub(crate) struct Email {
    transport: SmtpTransport,
    from: Mailbox,
    to: Vec<Mailbox>,
}

impl Email {
    pub(crate) fn new(
        settings: &NotifySettings,
        surroundings: &Surroundings,
    ) -> Result<Self, Refusal> {
        let missing = |name: &str| Refusal::never(format!("set `{name}` under [[notify]]"));
        let server = settings.server.as_deref().ok_or_else(|| missing("server"))?;
        let from = mailbox(settings.from.as_deref().ok_or_else(|| missing("from"))?)?;
        let to = settings.to.iter().map(|to| mailbox(to)).collect::<Result<Vec<_>, _>>()?;
        if to.is_empty() {
            return Err(missing("to"));
        }
        let (host, port) = host_and_port(server, settings.security)?;
        let mut builder = SmtpTransport::builder_dangerous(&host).port(port).timeout(Some(TIMEOUT));
        builder = builder.tls(match settings.security {
            MailSecurity::None => Tls::None,
            MailSecurity::StartTls => Tls::Required(parameters(&host, surroundings)?),
            MailSecurity::Tls => Tls::Wrapper(parameters(&host, surroundings)?),
        });
        if let Some(user) = &settings.user {
            let password = surroundings.secret(&[PASSWORD]).ok_or_else(|| {
                Refusal::never(format!("no password for `{user}` at {host}: set {PASSWORD}"))
            })?;
            builder = builder.credentials(Credentials::new(user.clone(), password));
        }
        Ok(Self { transport: builder.build(), from, to })
    }
}

impl Way for Email {
    fn send(&self, message: &Message, _known: Option<&str>) -> Result<Sent, Refusal> {
        let mut mail = Mail::builder()
            .from(self.from.clone())
            .subject(message.subject(SUBJECT_CHARS_MAX))
            // The same for each try: a mailbox that has it already can tell.
            .message_id(Some(format!("<{}@redgreen>", message.delivery())));
        for to in &self.to {
            mail = mail.to(to.clone());
        }
        let mail = mail
            .singlepart(SinglePart::plain(message.plain(MAIL_CHARS_MAX)))
            .map_err(|error| Refusal::never(format!("the mail cannot be written: {error}")))?;
        self.transport.send(&mail).map_err(|error| refusal(&error))?;
        let to: Vec<String> = self.to.iter().map(|to| to.email.to_string()).collect();
        Ok(Sent { to: to.join(", "), known: None })
    }
}

fn mailbox(address: &str) -> Result<Mailbox, Refusal> {
    address
        .parse()
        .map_err(|error| Refusal::never(format!("`{address}` is no address for mail: {error}")))
}

fn host_and_port(server: &str, security: MailSecurity) -> Result<(String, u16), Refusal> {
    let usual = match security {
        MailSecurity::StartTls => 587,
        MailSecurity::Tls => 465,
        MailSecurity::None => 25,
    };
    match server.rsplit_once(':') {
        None => Ok((server.to_owned(), usual)),
        Some((host, port)) => {
            let port = port.parse();
            let port = port
                .map_err(|_| Refusal::never(format!("`{server}` has no port that is a number")))?;
            Ok((host.to_owned(), port))
        }
    }
}

fn parameters(host: &str, surroundings: &Surroundings) -> Result<TlsParameters, Refusal> {
    let mut builder = TlsParameters::builder(host.to_owned());
    let unfit = |error: lettre::transport::smtp::Error| {
        Refusal::never(format!("no private connection to {host} can be made: {error}"))
    };
    if let Some(pem) = surroundings.certificates() {
        builder = builder.add_root_certificate(Certificate::from_pem(&pem).map_err(unfit)?);
    }
    builder.build().map_err(unfit)
}

/// A server that says no for good is not asked again; a certificate that nobody vouches for is looked at by a person.
fn refusal(error: &lettre::transport::smtp::Error) -> Refusal {
    let mut problem = format!("the mail was not taken: {error}");
    let mut source = error.source();
    while let Some(deeper) = source {
        let said = deeper.to_string();
        if !problem.contains(&said) {
            problem = format!("{problem}: {said}");
        }
        source = deeper.source();
    }
    let is_final = error.is_permanent() || error.is_tls() || problem.contains("certificate");
    if is_final { Refusal::never(problem) } else { Refusal::later(problem) }
}
