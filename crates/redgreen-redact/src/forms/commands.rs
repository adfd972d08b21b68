//! Passwords that are given to programs on their command lines, by options that are other things elsewhere.

use super::{Form, form};
use crate::command;

/// What is recognised by the program that it is given to.
pub(super) const FORMS: &[Form] = &[
    form(
        " -p",
        command::password,
        ("mysqldump -u me -phunter2 x", "mysqldump -u me -p[redacted] x"),
        "mysql -p shop -P 3306 --port=1; mkdir -p data && docker run -p 8080:80 login",
    ),
    form(
        "'-p",
        command::password,
        ("['sshpass', '-p', 'swordfish', 'ssh']", "['sshpass', '-p', '[redacted]', 'ssh']"),
        "['ssh', '-p', '2222', 'me@x']",
    ),
    form(
        "\"-p",
        command::password,
        (
            "[\"docker\", \"login\", \"-p\", \"swordfish\"]",
            "[\"docker\", \"login\", \"-p\", \"[redacted]\"]",
        ),
        "[\"docker\", \"run\", \"-p\", \"8080:80\"]",
    ),
    form(
        " -a ",
        command::password,
        ("redis-cli -h db -a swordfish get x", "redis-cli -h db -a [redacted] get x"),
        "redis-cli -h db; ls -a swordfish",
    ),
    form(
        " -u ",
        command::password,
        ("curl -s -u me:swordfish https://x", "curl -s -u me:[redacted] https://x"),
        "curl -u me https://x:8080/y; id -u me:group",
    ),
    form(
        " -w ",
        command::password,
        ("ldapsearch -x -w swordfish", "ldapsearch -x -w [redacted]"),
        "grep -w swordfish",
    ),
];
