//! Forms of secrets that say by their first letters what they are: those that services make.
//!
//! Which letters these are, and how many follow, are facts that gitleaks and trufflehog collect, too.

use super::{Form, form};
use crate::look::Look;
use crate::search::Secret;
use crate::token::{self, behind, capitals, hex, letters, url_safe, word};

/// What follows exactly these letters: at least so many bytes of a kind. A form may begin in the middle of
/// them: what is looked for is what other texts seldom have.
macro_rules! made {
    (@gap letters $least:literal) => { concat!("{", $least, "}") };
    (@gap word $least:literal) => { concat!("{", $least, "}") };
    (@gap url_safe $least:literal) => { concat!("{", $least, "}") };
    (@gap capitals $least:literal) => { concat!("{U", $least, "}") };
    (@gap hex $least:literal) => { concat!("{H", $least, "}") };
    ($whole:literal, $kind:ident, $least:literal) => { made!($whole in $whole, $kind, $least) };
    ($beginning:literal in $first:literal $(| $other:literal)*, $kind:ident, $least:literal) => {
        form(
            $beginning,
            |look: &mut Look<'_>, hit: std::ops::Range<usize>| -> Option<Secret> {
                let mut wholes = [$first $(, $other)*].iter();
                wholes.find_map(|whole| behind(look, hit.end, whole, $kind, $least))
            },
            (concat!($first, made!(@gap $kind $least)), concat!($first, "[redacted]")),
            concat!($first, "short"),
        )
    };
}

/// What services make.
pub(super) const FORMS: &[Form] = &[
    made!("ghp_", letters, 30),
    made!("gho_", letters, 30),
    made!("ghu_", letters, 30),
    made!("ghs_", letters, 30),
    made!("ghr_", letters, 30),
    made!("github_pat_", word, 22),
    made!("glpat-", url_safe, 20),
    made!("sk-ant-", url_safe, 20),
    made!("sk-proj-", url_safe, 20),
    made!("AIza", url_safe, 30),
    made!("sk_live_", letters, 16),
    made!("sk_test_", letters, 16),
    made!("rk_live_", letters, 16),
    made!("rk_test_", letters, 16),
    made!("npm_", letters, 30),
    made!("hf_", letters, 30),
    made!("ldt-" in "gldt-", url_safe, 20),
    made!("glrt-", url_safe, 20),
    made!("glcbt-", url_safe, 20),
    made!("glptt-", url_safe, 20),
    made!("glsa_", word, 32),
    made!("glc_", letters, 32),
    made!("pp-" in "xapp-", url_safe, 32),
    made!("whsec_", letters, 24),
    made!("ya29.", url_safe, 20),
    made!("spx-" in "GOCSPX-", url_safe, 24),
    made!("//0" in "1//0", url_safe, 40),
    made!("_v1_" in "dop_v1_" | "doo_v1_" | "dor_v1_", hex, 64),
    made!("hvs.", url_safe, 24),
    made!("hvb.", url_safe, 24),
    made!("ckr_pat_" in "dckr_pat_", url_safe, 24),
    made!("ckr_oat_" in "dckr_oat_", url_safe, 24),
    made!("api_" in "lin_api_", letters, 32),
    made!("api" in "dapi", hex, 32),
    made!("dp.pt.", letters, 32),
    made!("dp.ct.", letters, 32),
    made!("dp.sa.", letters, 32),
    made!("shpat_", hex, 32),
    made!("shpca_", hex, 32),
    made!("shppa_", hex, 32),
    made!("shpss_", hex, 32),
    made!("sq0atp-", url_safe, 20),
    made!("sq0csp-", url_safe, 40),
    made!("api:key-", hex, 32),
    made!("y-1" in "AGE-SECRET-KEY-1", capitals, 50),
    made!("figd_", url_safe, 40),
    made!("gsk_", letters, 40),
    made!("sbp_", hex, 40),
    made!("nfp_", letters, 32),
    made!("ntn_", letters, 40),
    made!("ai-" in "xai-", letters, 60),
    made!("ak-" in "PMAK-" | "NRAK-", url_safe, 24),
    made!("tt3" in "ATATT3" | "ATCTT3", url_safe, 60),
    made!("AKCp", letters, 69),
    made!("CLOJARS_", letters, 60),
    made!("EZAK", letters, 54),
    made!("EZTK", letters, 54),
    made!("GR1348941", url_safe, 20),
    made!("HRKU-AA", url_safe, 58),
    made!("NRII-", url_safe, 32),
    made!("api_org_", letters, 34),
    made!("bkua_", letters, 40),
    made!("ccipat_", word, 40),
    made!("dnkey-", url_safe, 60),
    made!("duffel_live_", url_safe, 43),
    made!("duffel_test_", url_safe, 43),
    made!("fio-u-", url_safe, 64),
    made!("fo1_", url_safe, 43),
    made!("glagent-", url_safe, 50),
    made!("glffct-", url_safe, 20),
    made!("glft-", url_safe, 20),
    made!("glimt-", url_safe, 25),
    made!("gloas-", url_safe, 64),
    made!("glsoat-", url_safe, 20),
    made!("lsv2_pt_", word, 40),
    made!("lsv2_sk_", word, 40),
    made!("api-" in "nvapi-", url_safe, 60),
    made!("pcsk_", word, 60),
    made!("pnu_", letters, 36),
    made!("pplx-", letters, 48),
    made!("pscale_oauth_", url_safe, 32),
    made!("pscale_pw_", url_safe, 32),
    made!("pscale_tkn_", url_safe, 32),
    made!("pul-", hex, 40),
    made!("rdme_", letters, 70),
    made!("rubygems_", hex, 48),
    made!("sgp_", word, 40),
    made!("sha256~", url_safe, 43),
    made!("shippo_live_", hex, 40),
    made!("shippo_test_", hex, 40),
    made!("sntryu_", hex, 64),
    made!("sqp_", hex, 40),
    made!("squ_", hex, 40),
    made!("tfp_", url_safe, 59),
    made!("tskey-", url_safe, 20),
    made!("xkeysib-", url_safe, 64),
    form("akia", token::aws, ("AKIA{U16}", "AKIA[redacted]"), "AKIA_IS_A_PREFIX"),
    form("asia", token::aws, ("id ASIA{U16}.", "id ASIA[redacted]."), "ASIA/PACIFIC{U16}"),
    form("xox", token::slack, ("xoxb-1234567890-{24}", "xoxb-[redacted]"), "xoxb-no-digits-here"),
    form(
        "sk-",
        token::openai_old,
        ("sk-{48}", "sk-[redacted]"),
        "disk-0123456789abcdef0123456789abcdef",
    ),
    form("pypi-", token::pypi, ("pypi-AgEIcHlwaS5vcmc{60}", "pypi-[redacted]"), "pypi-server-2.0"),
    form(
        "eyj",
        token::web_token,
        ("eyJ{17}.eyJ{30}.{43}", "eyJ[redacted]"),
        "eyJhbGciOiJIUzI1NiJ9 is only its head",
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
