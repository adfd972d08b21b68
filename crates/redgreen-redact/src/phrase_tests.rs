//! Secrets that a sentence, an element of a page or the program of a command tells.

use super::*;

#[test]
fn what_is_said_of_secrets_stays() {
    for text in [
        // Sentences.
        "password is required",
        "password is too short (minimum is 8 characters)",
        "the password is not set",
        "AssertionError: password is 12345 and not a string",
        "the token is 32-byte long, the secret was sha256-hashed, the API key is v1.2.3",
        "token is Base64, the secret is OAuth2.",
        "assert token is token2 and password is self.password2",
        "password is 'too weak'",
        "Access denied for user 'me'@'localhost' (using password: YES)",
        "the password is wrong! the secret was never-set...",
        "token was expected_at2",
        "the secret key is in src/a1.py",
        // Pages and elements.
        "<label for=\"password\">Kennwort</label>",
        "<Password>Enter your password</Password>",
        "<Password>Password</Password>",
        "<Token>Identifier</Token> Vec<Token>x2y3z4w5",
        "<password>${db.password}</password>",
        "<password>{password}</password>",
        "<secret>true</secret><token>12</token>",
        "expected `<token>`, found `<x1y2z3>`",
        "<input type=\"password\" value=\"\" placeholder=\"Password 1\">",
        "{\"name\": \"password\", \"value\": \"Enter your password\"}",
        "<label for=\"id_password1\">Password1:</label>",
        // Commands.
        "one of `--api-key`, `--api-key-env1` or `--token`",
        "docker build --secret id=my_token1,env=TOKEN .",
        "mkdir -p x1y2z3 && cp -p a b",
        "docker run -p 8080:80 -p 9090:90 me/image:1.2",
        "ssh -p 2222 me@host",
        "psql -p 5432 -U me shop",
        "nmap -p 1-65535 localhost",
        "python -m pytest -p no:cacheprovider -p xdist2",
        "mysql: command not found",
        "usage: app --password PASSWORD --token TOKEN",
        "use --password instead of -token",
        "--token string   the token to use",
        "curl -u me https://x.example:8080/y",
        "mongo-express-2 -p",
        "git log -p HEAD~2",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn what_is_said_to_be_secret_goes() {
    let secret = "x7Qam4a8Wx4Z4mWR9Zx4mqkT";
    for (text, wanted) in [
        ("<password>hunter2</password>", "<password>[redacted]</password>"),
        ("<password>swordfish</password>", "<password>[redacted]</password>"),
        ("<db:apiKey id=\"1\">{}</db:apiKey>", "<db:apiKey id=\"1\">[redacted]</db:apiKey>"),
        ("&lt;secret&gt;{}&lt;/secret&gt;", "&lt;secret&gt;[redacted]&lt;/secret&gt;"),
        ("<e key=\"password\">hunter2</e>", "<e key=\"password\">[redacted]</e>"),
        (
            "<p name=\"db.password\" value=\"hunter2\"/>",
            "<p name=\"db.password\" value=\"[redacted]\"/>",
        ),
        (
            "{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"}",
            "{\"name\":\"DB_PASSWORD\",\"value\":\"[redacted]\"}",
        ),
        ("The password is hunter2.", "The password is [redacted]."),
        ("your secret key was '{}'!", "your secret key was '[redacted]'!"),
        ("the token is: {}", "the token is: [redacted]"),
        ("password is p@ss!word", "password is [redacted]"),
        ("app --password hunter2 -token {}", "app --password [redacted] -token [redacted]"),
        ("['x', '--password', 'hunter2x']", "['x', '--password', '[redacted]']"),
        ("AKIAX7Q2X7Q2X7Q2X7Q2,wJalrXUtnFEMI/K7MDENG/bPxRfiCYx7Qa2RTmmm", "AKIA[redacted]"),
        ("['mysql', '-uroot', '-phunter2'] failed", "['mysql', '-uroot', '-p[redacted]'] failed"),
        ("$ /usr/bin/sshpass -phunter2 ssh x", "$ /usr/bin/sshpass -p[redacted] ssh x"),
        (
            "mysql -phunter2 x and ['docker', 'login', '-p', 'hunter2']",
            "mysql -p[redacted] x and ['docker', 'login', '-p', '[redacted]']",
        ),
        ("sshpass -p hunter2 ssh -p 2222 x", "sshpass -p [redacted] ssh -p 2222 x"),
        ("docker login -p 'two words' x", "docker login -p '[redacted]' x"),
    ] {
        let redacted = redact(&text.replace("{}", secret)).into_owned();
        assert_eq!(redacted, wanted, "{text}");
        assert_eq!(redact(&redacted), redacted, "{text} twice");
    }
}
