//! Forms of secrets that say by their first letters what they are: those that services make.

use super::{Form, form};
use crate::look::Look;
use crate::search::Secret;
use crate::token::{self, behind, capitals, hex, letters, url_safe, word};

/// Finds what follows exactly these letters: at least so many bytes of a kind. A form may begin in the middle
/// of them: what is looked for is what other texts seldom have.
macro_rules! made {
    ($($whole:literal)|+, $kind:ident, $least:literal) => {
        |look: &mut Look<'_>, hit: std::ops::Range<usize>| -> Option<Secret> {
            [$($whole),+].iter().find_map(|whole| behind(look, hit.end, whole, $kind, $least))
        }
    };
}

/// What services make.
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
    form("rk_test_", token::stripe, ("rk_test_{24}", "rk_test_[redacted]"), "fork_test_passes"),
    form("npm_", token::npm, ("npm_{36}", "npm_[redacted]"), "npm_config_registry_of_the_project"),
    form("pypi-", token::pypi, ("pypi-AgEIcHlwaS5vcmc{60}", "pypi-[redacted]"), "pypi-server-2.0"),
    form(
        "eyj",
        token::web_token,
        ("eyJ{17}.eyJ{30}.{43}", "eyJ[redacted]"),
        "eyJhbGciOiJIUzI1NiJ9 is only its head",
    ),
    form(
        "hf_",
        made!("hf_", letters, 30),
        ("hf_{34}", "hf_[redacted]"),
        "hf_transformers_of_the_hub_are_slow",
    ),
    form("ldt-", made!("gldt-", url_safe, 20), ("gldt-{20}", "gldt-[redacted]"), "gldt-short"),
    form("glrt-", made!("glrt-", url_safe, 20), ("glrt-{20}", "glrt-[redacted]"), "glrt-short"),
    form(
        "glcbt-",
        made!("glcbt-", url_safe, 20),
        ("glcbt-{25}", "glcbt-[redacted]"),
        "glcbt-short",
    ),
    form(
        "glptt-",
        made!("glptt-", url_safe, 20),
        ("glptt-{40}", "glptt-[redacted]"),
        "glptt-short",
    ),
    form("glsa_", made!("glsa_", word, 32), ("glsa_{32}_{8}", "glsa_[redacted]"), "glsa_is_short"),
    form("glc_", made!("glc_", letters, 32), ("glc_{60}", "glc_[redacted]"), "glc_of_the_library"),
    form(
        "pp-",
        made!("xapp-", url_safe, 32),
        ("xapp-1-{11}-{40}", "xapp-[redacted]"),
        "xapp-of-mine",
    ),
    form(
        "whsec_",
        made!("whsec_", letters, 24),
        ("whsec_{32}", "whsec_[redacted]"),
        "whsec_of_the_hook",
    ),
    form("ya29.", made!("ya29.", url_safe, 20), ("ya29.{60}", "ya29.[redacted]"), "ya29.short"),
    form(
        "spx-",
        made!("GOCSPX-", url_safe, 24),
        ("GOCSPX-{28}", "GOCSPX-[redacted]"),
        "GOCSPX-short",
    ),
    form("//0", made!("1//0", url_safe, 40), ("1//0{60}", "1//0[redacted]"), "half = 1//04 + 2"),
    form(
        "_v1_",
        made!("dop_v1_" | "doo_v1_" | "dor_v1_", hex, 64),
        ("dop_v1_{H64}", "dop_v1_[redacted]"),
        "dop_v1_is_short, drop_v1_{H64}",
    ),
    form("hvs.", made!("hvs.", url_safe, 24), ("hvs.{90}", "hvs.[redacted]"), "hvs.read()"),
    form("hvb.", made!("hvb.", url_safe, 24), ("hvb.{90}", "hvb.[redacted]"), "hvb.read()"),
    form(
        "ckr_pat_",
        made!("dckr_pat_", url_safe, 24),
        ("dckr_pat_{27}", "dckr_pat_[redacted]"),
        "dckr_pat_is_short",
    ),
    form(
        "ckr_oat_",
        made!("dckr_oat_", url_safe, 24),
        ("dckr_oat_{32}", "dckr_oat_[redacted]"),
        "dckr_oat_is_short",
    ),
    form(
        "api_",
        made!("lin_api_", letters, 32),
        ("lin_api_{40}", "lin_api_[redacted]"),
        "lin_api_of_ours, in_api_{40}",
    ),
    form("api", made!("dapi", hex, 32), ("dapi{H32}", "dapi[redacted]"), "dapi0123456789 is short"),
    form("dp.pt.", made!("dp.pt.", letters, 32), ("dp.pt.{43}", "dp.pt.[redacted]"), "dp.pt.x = 1"),
    form("dp.ct.", made!("dp.ct.", letters, 32), ("dp.ct.{43}", "dp.ct.[redacted]"), "dp.ct.x = 1"),
    form("dp.sa.", made!("dp.sa.", letters, 32), ("dp.sa.{43}", "dp.sa.[redacted]"), "dp.sa.x = 1"),
    form("shpat_", made!("shpat_", hex, 32), ("shpat_{H32}", "shpat_[redacted]"), "shpat_is_short"),
    form("shpca_", made!("shpca_", hex, 32), ("shpca_{H32}", "shpca_[redacted]"), "shpca_is_short"),
    form("shppa_", made!("shppa_", hex, 32), ("shppa_{H32}", "shppa_[redacted]"), "shppa_is_short"),
    form("shpss_", made!("shpss_", hex, 32), ("shpss_{H32}", "shpss_[redacted]"), "shpss_is_short"),
    form(
        "sq0atp-",
        made!("sq0atp-", url_safe, 20),
        ("sq0atp-{22}", "sq0atp-[redacted]"),
        "sq0atp-short",
    ),
    form(
        "sq0csp-",
        made!("sq0csp-", url_safe, 40),
        ("sq0csp-{43}", "sq0csp-[redacted]"),
        "sq0csp-short",
    ),
    form(
        "api:key-",
        made!("api:key-", hex, 32),
        ("api:key-{H32}", "api:key-[redacted]"),
        "api:key-value store",
    ),
    form(
        "y-1",
        made!("AGE-SECRET-KEY-1", capitals, 50),
        ("AGE-SECRET-KEY-1{U58}", "AGE-SECRET-KEY-1[redacted]"),
        "key-1{U58}",
    ),
    form("figd_", made!("figd_", url_safe, 40), ("figd_{43}", "figd_[redacted]"), "figd_is_short"),
    form("gsk_", made!("gsk_", letters, 40), ("gsk_{52}", "gsk_[redacted]"), "gsk_is_short"),
    form("sbp_", made!("sbp_", hex, 40), ("sbp_{H40}", "sbp_[redacted]"), "sbp_is_short"),
    form("nfp_", made!("nfp_", letters, 32), ("nfp_{36}", "nfp_[redacted]"), "nfp_is_short"),
    form("ntn_", made!("ntn_", letters, 40), ("ntn_{46}", "ntn_[redacted]"), "ntn_is_short"),
    form("ai-", made!("xai-", letters, 60), ("xai-{80}", "xai-[redacted]"), "xai-org/a-repository"),
    form(
        "ak-",
        made!("PMAK-" | "NRAK-", url_safe, 24),
        ("PMAK-{24}-{34}", "PMAK-[redacted]"),
        "weak-{60}",
    ),
    form(
        "tt3",
        made!("ATATT3", url_safe, 60),
        ("ATATT3{90}", "ATATT3[redacted]"),
        "ATATT3 is short",
    ),
    form(
        "hooks.slack.com/services/",
        token::webhook,
        (
            "https://hooks.slack.com/services/T{U8}/B{U8}/{24}",
            "https://hooks.slack.com/services/[redacted]",
        ),
        "https://hooks.slack.com/services/T0/B0/short",
    ),
    form(
        "hooks/",
        token::webhook_of_discord,
        (
            "https://discord.com/api/webhooks/123456789012345678/{68}",
            "https://discord.com/api/webhooks/[redacted]",
        ),
        "GET /api/webhooks/12/messages/{8} .git/hooks/{60}",
    ),
    form("sg.", token::sendgrid, ("SG.{22}.{43}", "SG.[redacted]"), "SG.{22} msg.{22}.{43}"),
    form("dp.st.", token::doppler, ("dp.st.dev.{43}", "dp.st.[redacted]"), "dp.st.dev.x = 1"),
    form(
        ":aa",
        token::telegram,
        ("bot1234567890:AA{33}", "bot1234567890:[redacted]"),
        "mac 00:aa:bb:{33}",
    ),
    form("7q~", token::azure, ("abc7Q~{34}", "abc7Q~[redacted]"), "7Q~{34}"),
    form("8q~", token::azure, ("a.c8Q~{34}", "a.c8Q~[redacted]"), "abc8Q~{12}"),
];
