//! Forms of secrets that what stands around them gives away: names, headers, addresses, blocks.

use super::{Form, form};
use crate::{assignment, cut, header, key_block};

/// What is recognised by what stands around it.
pub(super) const FORMS: &[Form] = &[
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
        "an access-key is in demand",
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
    form(
        "api key",
        assignment::value,
        ("the API key is {20}.", "the API key is [redacted]."),
        "the API key is invalid",
    ),
    form(
        "access key",
        assignment::value,
        ("your access key: {20}", "your access key: [redacted]"),
        "access key is required",
    ),
    form(
        "auth=",
        header::basic,
        ("//x/:_auth=bWU6aHVudGVyMiE=", "//x/:_auth=[redacted]"),
        "proxy_auth=required",
    ),
    form(
        "auth\":",
        header::basic,
        ("{\"auth\": \"bWU6aHVudGVyMiE=\"}", "{\"auth\": \"[redacted]\"}"),
        "{\"auth\": \"required\"}",
    ),
];
