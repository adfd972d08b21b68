//! The table of secrets: how each begins, how its end is found, an example and a near miss.

use std::ops::Range;

use super::look::Look;
use super::search::Secret;
use super::{assignment, cut, header, key_block, token};

/// Finds the secret that a beginning at these bytes is the beginning of.
pub(super) type Find = fn(&mut Look<'_>, Range<usize>) -> Option<Secret>;

/// A form of secret. In what it is shown with, `{40}` stands for 40 letters and digits and `{U16}` for
/// capitals and digits: this file would otherwise be taken for one full of secrets.
pub(super) struct Form {
    /// The word with which it begins, in any case; none is within another.
    pub(super) beginning: &'static str,
    pub(super) find: Find,
    /// One, and what it becomes.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(super) example: (&'static str, &'static str),
    /// What looks like one and stays.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(super) near_miss: &'static str,
}

const fn form(
    beginning: &'static str,
    find: Find,
    example: (&'static str, &'static str),
    near_miss: &'static str,
) -> Form {
    Form { beginning, find, example, near_miss }
}

/// Every form that is known.
pub(super) const FORMS: &[Form] = &[
    form("akia", token::aws, ("AKIA{U16}", "AKIA[redacted]"), "AKIA_IS_A_PREFIX"),
    form("asia", token::aws, ("id ASIA{U16}.", "id ASIA[redacted]."), "ASIA/PACIFIC{U16}"),
    form("ghp_", token::github, ("ghp_{36}", "ghp_[redacted]"), "ghp_is_short"),
    form("gho_", token::github, ("gho_{36}", "gho_[redacted]"), "gho_{20}"),
    form("ghu_", token::github, ("ghu_{36}", "ghu_[redacted]"), "ghu_{20}"),
    form("ghs_", token::github, ("ghs_{36}", "ghs_[redacted]"), "tests/laughs_at_the_wind.py"),
    form("ghr_", token::github, ("ghr_{36}", "ghr_[redacted]"), "GHR_{36}"),
    form(
        "github_pat_",
        token::github_fine,
        ("github_pat_{22}_{59}", "github_pat_[redacted]"),
        "github_pat_is_valid",
    ),
    form("glpat-", token::gitlab, ("glpat-{20}", "glpat-[redacted]"), "glpat-short"),
    form("xox", token::slack, ("xoxb-1234567890-{24}", "xoxb-[redacted]"), "xoxb-no-digits-here"),
    form("sk-ant-", token::anthropic, ("sk-ant-api03-{80}", "sk-ant-[redacted]"), "sk-ant-hill"),
    form("sk-proj-", token::openai, ("sk-proj-{48}_{9}", "sk-proj-[redacted]"), "sk-proj-plan"),
    form(
        "sk-",
        token::openai_old,
        ("sk-{48}", "sk-[redacted]"),
        "disk-0123456789abcdef0123456789abcdef",
    ),
    form("aiza", token::google, ("AIza{35}", "AIza[redacted]"), "AIzawa"),
    form("sk_live_", token::stripe, ("sk_live_{24}", "sk_live_[redacted]"), "sk_live_mode"),
    form("sk_test_", token::stripe, ("sk_test_{24}", "sk_test_[redacted]"), "task_test_passes"),
    form(
        "rk_live_",
        token::stripe,
        ("rk_live_{24}", "rk_live_[redacted]"),
        "fork_live_objects_twice",
    ),
    form("npm_", token::npm, ("npm_{36}", "npm_[redacted]"), "npm_config_registry_of_the_project"),
    form("pypi-", token::pypi, ("pypi-AgEIcHlwaS5vcmc{60}", "pypi-[redacted]"), "pypi-server-2.0"),
    form(
        "eyj",
        token::web_token,
        ("eyJ{17}.eyJ{30}.{43}", "eyJ[redacted]"),
        "eyJhbGciOiJIUzI1NiJ9 is only its head",
    ),
    form(
        "-----begin ",
        key_block::private_key,
        (
            "-----BEGIN RSA PRIVATE KEY-----\n{64}\n{64}\n{12}==\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----",
        ),
        "-----BEGIN CERTIFICATE-----\n{64}\n-----END CERTIFICATE-----",
    ),
    form(
        "authorization",
        header::authorization,
        ("Authorization: Basic {12}", "Authorization: Basic [redacted]"),
        "Authorization: Bearer <token>",
    ),
    form(
        "bearer ",
        header::bearer,
        ("sent Bearer {32}", "sent Bearer [redacted]"),
        "the bearer of news",
    ),
    form(
        "basic ",
        header::basic,
        ("sent Basic bWU6aHVudGVyMiE=", "sent Basic [redacted]"),
        "Basic auth5678 is a word",
    ),
    form(
        "cookie",
        header::cookie,
        ("Set-Cookie: id={20}; Path=/; HttpOnly", "Set-Cookie: id=[redacted]; Path=/; HttpOnly"),
        "cookie: SimpleCookie = None",
    ),
    form(
        "://",
        header::url,
        ("postgres://me:{8}@db/x", "postgres://me:[redacted]@db/x"),
        "https://example.com:8080/@me",
    ),
    form(
        "password",
        assignment::value,
        ("password = 'hunter2!'", "password = '[redacted]'"),
        "password = request.form['password']",
    ),
    form(
        "passwd",
        assignment::value,
        ("DB_PASSWD=hunter22", "DB_PASSWD=[redacted]"),
        "passwd=${PASSWD}",
    ),
    form(
        "passphrase",
        assignment::value,
        ("passphrase: 'four words of mine'", "passphrase: '[redacted]'"),
        "passphrase: '<your own>'",
    ),
    form(
        "secret",
        assignment::value,
        ("\"client_secret\": \"{32}\"", "\"client_secret\": \"[redacted]\""),
        "secret = Secret(32)",
    ),
    form(
        "token",
        assignment::value,
        ("?token={16}&x=1", "?token=[redacted]&x=1"),
        "token == expected2",
    ),
    form(
        "pwd",
        assignment::pwd,
        ("Server=db;Uid=me;Pwd=four;", "Server=db;Uid=me;Pwd=[redacted];"),
        "PWD=/home/Me/Project1",
    ),
    form(
        "accountkey",
        assignment::value,
        ("AccountName=x;AccountKey={40}/{24}+{20}==;E", "AccountName=x;AccountKey=[redacted];E"),
        "accountKey: string;",
    ),
    form(
        "account_key",
        assignment::value,
        ("account_key='{44}'", "account_key='[redacted]'"),
        "account_key = account.key2",
    ),
    form(
        "sig=",
        assignment::signature,
        ("https://x/y?sv=1&sig={30}%2B{12}%3D&se=2", "https://x/y?sv=1&sig=[redacted]&se=2"),
        "kill sig=SIGTERM_or_another_of_the_signals",
    ),
    form(
        "x-amz-signature=",
        assignment::signature,
        ("?X-Amz-Signature={64}", "?X-Amz-Signature=[redacted]"),
        "x-amz-signature=<signature>",
    ),
    form("api_key", assignment::value, ("API_KEY={16}", "API_KEY=[redacted]"), "api_key=***"),
    form("api-key", assignment::value, ("x-api-key: {16}", "x-api-key: [redacted]"), "api-key: ''"),
    form(
        "apikey",
        assignment::value,
        ("apiKey: \"{16}\"", "apiKey: \"[redacted]\""),
        "apiKey: string,",
    ),
    form(
        "access_key",
        assignment::value,
        ("aws_secret_access_key = {20}/{10}+{8}", "aws_secret_access_key = [redacted]"),
        "access_key = None",
    ),
    form(
        "access-key",
        assignment::value,
        ("--access-key {16}", "--access-key [redacted]"),
        "an access-key is {16}",
    ),
    form(
        "accesskey",
        assignment::value,
        ("accessKey={16}", "accessKey=[redacted]"),
        "f(accessKey=args.accessKey)",
    ),
    form(
        " left out",
        cut::rest,
        (
            "[... 9 characters left out ...]\n{24} x",
            "[... 9 characters left out ...]\n[redacted] x",
        ),
        "[... 9 characters left out ...]\ntests/test_a1.py::test_one_of_many2 failed",
    ),
    form(
        " dropped here",
        cut::rest,
        ("[9 bytes dropped here]\n{24}", "[9 bytes dropped here]\n[redacted]"),
        "one dropped here\n{24}",
    ),
];
