//! Values of the project's own files whose names tell little or nothing, and what is typical in such files.

use super::*;

const FIRST: &str = "x7Kq2mZp9LrT4w";
const SECOND: &str = "b4Nw8sQe1YhU6c3D";

/// All that is found in a line of a file.
fn found(line: &str) -> Vec<KnownSecret> {
    let (name, value) = line.split_once('=').unwrap_or_default();
    secrets_in(name, value, true)
}

#[test]
fn what_chance_has_made_is_known_by_any_name() {
    for line in [
        "EXPO={1}",
        "LOCAL_X={2}",
        "ALLOWED={1},{2}",
        "ALLOWED=plain, {1} ,{2}",
        "PEOPLE=me:{1}",
        "CALL=app --with={1} run",
        "CONFIG={\"k\": \"{1}\"}",
        "COOKIE=sid={1}; theme=dark",
        "HOOK=https://example.com/in/{1}/x",
    ] {
        let values: Vec<String> = found(&line.replace("{1}", FIRST).replace("{2}", SECOND))
            .into_iter()
            .map(|it| it.value)
            .collect();
        for (mark, secret) in [("{1}", FIRST), ("{2}", SECOND)] {
            let is_known = values.iter().any(|value| value == secret);
            assert_eq!(is_known, line.contains(mark), "{line}: {values:?}");
        }
    }
    assert_eq!(secrets_in("EXPO", FIRST, false), [], "a variable of the whole machine");
}

#[test]
fn more_names_tell_in_files_of_the_project() {
    for (line, wanted) in [
        ("COOKIE=plain-words-of-mine1", "plain-words-of-mine1"),
        ("PWD_DB=hunter22", "hunter22"),
        ("SESSION_SIGNING=Correct-horse", "Correct-horse"),
        ("MNEMONIC=six plain words here today", "six plain words here today"),
        ("WALLET_SEED_PHRASE=six plain words here today", "six plain words here today"),
        ("WEBHOOK_URL=https://hooks.example.com/services/T00/B00/secretpart", "T00/B00/secretpart"),
        ("CHAT=https://hooks.example.com/services/T00/B00/secretpart", "T00/B00/secretpart"),
        ("INTERP_TOKEN=${BASE}rest", "${BASE}rest"),
    ] {
        let all = found(line);
        let is_wanted = |it: &&KnownSecret| it.value == wanted && it.reach == Reach::Anywhere;
        assert!(all.iter().any(|it| is_wanted(&it)), "{line}: {all:?}");
    }
}

/// What hides it hides what a test has said.
#[test]
fn what_is_typical_in_such_files_stays() {
    let lines = "APP_NAME=Laravel\nAPP_ENV=production\nAPP_DEBUG=true\nAPP_URL=http://localhost:8000\n\
        LOG_CHANNEL=stack\nDB_CONNECTION=mysql\nDB_HOST=127.0.0.1\nDB_PORT=3306\nDB_DATABASE=homestead_test2\n\
        BROADCAST_DRIVER=log\nSESSION_DRIVER=database\nSESSION_LIFETIME=120\nSESSION_COOKIE_NAME=my_app_session\n\
        SESSION_COOKIE_SAMESITE=Lax\nSESSION_ENGINE=django.contrib.sessions.backends.cached_db\n\
        MAIL_FROM_ADDRESS=hello2@example.com\nAWS_DEFAULT_REGION=us-east-1\nPUSHER_APP_CLUSTER=mt1\n\
        DJANGO_SETTINGS_MODULE=config.settings.local2\nALLOWED_HOSTS=localhost,127.0.0.1,.example.com,app2.example.org\n\
        CORS_ORIGINS=http://localhost:3000,https://app.example.com\nDATABASE_URL=sqlite:///db.sqlite3\n\
        CELERY_BROKER_URL=redis://localhost:6379/0\nNODE_ENV=development\nNEXT_PUBLIC_API_BASE=https://api.example.com/v1beta1\n\
        POSTGRES_IMAGE=postgres:16-alpine\nREDIS=redis:7.2.4-alpine3.19\nLLM=gpt-4o-mini\nLLM2=claude-3-5-sonnet-20241022\n\
        TIME_ZONE=Europe/Berlin\nLANG=en_US.UTF-8\nENTRY=src/app/main.py\nPROJECT=my-project-name-2024\n\
        NODE_OPTIONS=--max-old-space-size=4096\nJAVA_OPTS=-Xmx512m -Xms256m -XX:+UseG1GC\nDATE_FORMAT=%Y-%m-%dT%H:%M:%S\n\
        STARTED=2026-11-15T23:09:21Z\nVERSION=1.2.3-rc.1+build5\nMYSQL_CHARSET=utf8mb4_unicode_ci\nCIPHER=AES-256-GCM\n\
        COMPOSE_PROFILES=dev,web,worker2\nPYTHONPATH=src:lib:/opt/x7Kq2mZp9LrT4w\nWEBHOOK_URL=http://localhost:3000/api/v1/webhook/stripe\n\
        RANDOM_SEED=20241115\nGIT_SHA=d2adf9d91f73401d0fb6f37e96b3a0ce4f6d4c1a\nIMAGE=ghcr.io/acme/app:sha-9f8e7d6\n\
        TENANT_ID=123e4567-e89b-12d3-a456-426614174000\n\
        GREETING=Hello, World! It is 2024\nSIZES=100mb 30s 5GiB 1h30m\nRUN=npm run dev:web2 -- --port=3000\n\
        VITE_APP_NAME=${APP_NAME}\nCACHE=$HOME/.cache/app2\nFEATURES=new-ui2,oauth2-login,http2,i18n_v2\nVM=Standard_D2s_v3\n\
        TARGET=x86_64-unknown-linux-gnu\nCOOKIE_DOMAIN=.example.com\nSSH_KEY=${HOME}/.ssh/id_ed25519\nMODEL_CLASS=App\\Models\\User2";
    let hidden: Vec<&str> = lines.lines().filter(|line| !found(line).is_empty()).collect();
    assert_eq!(hidden, [""; 0]);
}
