//! A real browser, driven by its own protocol: HTTP with JSON in it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::common::shell::PATIENCE;
use crate::common::tools;

/// A browser without a window, and its driver.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Self {
        let folder = tools().ancestors().nth(2).expect("a folder").join("browser/bin");
        assert!(
            folder.join("chromedriver").exists(),
            "chromedriver is not in {}: run `cargo xtask test`",
            folder.display()
        );
        let profile = tempfile::tempdir().expect("a folder");
        let mut driver = Command::new(folder.join("chromedriver"))
            .arg("--port=0")
            .env("HOME", profile.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver");
        let out = BufReader::new(driver.stdout.take().expect("its output"));
        let said = out.lines().map_while(Result::ok).find_map(|line| {
            line.split_once("successfully on port ")?.1.trim_end_matches('.').parse().ok()
        });
        let port = said.expect("a port");
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let binary = folder.join("chromium");
        let folder = browser._profile.path().join("profile");
        let made = browser.ask(
            "POST",
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "goog:chromeOptions": {
                    "binary": binary,
                    "args": [
                        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                        "--hide-scrollbars", format!("--user-data-dir={}", folder.display()),
                    ],
                },
                "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
            }}}),
        );
        browser.session = made["sessionId"].as_str().expect("a session").to_owned();
        browser
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let text = if method == "GET" { String::new() } else { body.to_string() };
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).expect("chromedriver");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.port,
            text.len()
        );
        connection.write_all(head.as_bytes()).expect("sent");
        connection.write_all(text.as_bytes()).expect("sent");
        let mut reader = BufReader::new(connection);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
            if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
            line.clear();
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("an answer");
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let value = answer["value"].clone();
        assert!(value["error"].is_null(), "{path}: {value}");
        value
    }

    fn post(&self, command: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{command}", self.session), body)
    }

    pub fn open(&self, address: &str) {
        self.post("url", &json!({"url": address}));
    }

    /// What a function's body returns in the page.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", &json!({"script": script, "args": []}))
    }

    /// The same where it says when it is done: the last argument is to be called.
    pub fn run_to_its_end(&self, script: &str) -> Value {
        self.post("execute/async", &json!({"script": script, "args": []}))
    }

    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post("goog/cdp/execute", &json!({"cmd": command, "params": parameters}))
    }

    pub fn size(&self, width: u32, height: u32) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
        );
    }

    /// `light` or `dark`.
    pub fn theme(&self, theme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": theme});
        self.devtools("Emulation.setEmulatedMedia", &json!({"features": [feature]}));
    }

    /// Waits for something that a script sees; it comes, or the test fails.
    pub fn await_true(&self, script: &str) {
        let begun = Instant::now();
        while self.run(script) != Value::Bool(true) {
            assert!(
                begun.elapsed() < PATIENCE,
                "{script}: {}",
                self.run("return document.body.innerText")
            );
        }
    }

    /// The whole page as a picture, where somebody asked for pictures.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("REDGREEN_PICTURES") else { return };
        let taken = self.devtools(
            "Page.captureScreenshot",
            &json!({"captureBeyondViewport": true, "format": "png"}),
        );
        let text = taken["data"].as_str().expect("a picture");
        let path = Path::new(&folder).join(format!("{name}.base64"));
        std::fs::write(path, text).expect("written");
    }

    /// Every address that pages have asked for since the last time.
    pub fn asked_for(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({"type": "performance"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        let address = |entry: &Value| {
            let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let message = &message["message"];
            let is_request = message["method"] == "Network.requestWillBeSent";
            is_request.then(|| message["params"]["request"]["url"].as_str().map(str::to_owned))?
        };
        entries.iter().filter_map(address).collect()
    }

    /// What the browser's console has to complain about.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.post("se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].to_string()).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.ask("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        // The driver ends the browser that it started.
        let _ = nix::sys::signal::kill(
            nix::unistd::Pid::from_raw(self.driver.id().cast_signed()),
            nix::sys::signal::Signal::SIGTERM,
        );
        let _ = self.driver.wait();
    }
}
