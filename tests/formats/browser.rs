//! The page in a real browser: nothing is loaded, nothing is complained about, and hostile names are text.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use cordon::report::formats::table::Format;
use serde_json::Value;

use crate::hostile::NAMES;
use crate::page::ELEMENTS;
use crate::verdict::{hostile, rendered, session};

/// Where a browser goes by itself, whatever it shows.
const OWN: [&str; 3] = ["google.com", "googleapis.com", "gvt1.com"];

/// What a browser made of a page.
struct Shown {
    /// The document, written out.
    dom: String,
    /// What it said on its console.
    console: Vec<String>,
    /// What it asked for, apart from the page itself and from what it asks for by itself.
    requests: Vec<String>,
}

/// Shows a page; `None` where there is no browser and not all tests were asked for.
fn show(page: &str) -> Option<Shown> {
    let browser = std::env::var_os("CORDON_TEST_CHROMIUM").unwrap_or_else(|| "chromium".into());
    if Command::new(&browser).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        assert!(std::env::var_os("CORDON_TEST_ALL").is_none(), "chromium is not there (package chromium)");
        eprintln!("skipped: chromium is not there (package chromium)");
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("page.html"), page).unwrap();
    let flag = |name: &str, path: &Path| format!("--{name}={}", path.display());
    let ended = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
        // Whatever is asked for is written down and goes nowhere.
        .args(["--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr"])
        .args([flag("user-data-dir", &at("profile")), flag("log-net-log", &at("net.json"))])
        .arg("--dump-dom")
        .arg(format!("file://{}", at("page.html").display()))
        .env("HOME", directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{said}");
    Some(Shown {
        dom: String::from_utf8(ended.stdout).unwrap(),
        console: said.lines().filter(|line| line.contains(":CONSOLE:")).map(str::to_owned).collect(),
        requests: requests(&fs::read(at("net.json")).unwrap()),
    })
}

fn requests(log: &[u8]) -> Vec<String> {
    let log: Value = serde_json::from_slice(log).unwrap();
    let events = log["events"].as_array().unwrap();
    assert!(!events.is_empty(), "the browser writes down what it asks for");
    let urls = events.iter().filter_map(|event| event["params"]["url"].as_str());
    let is_own = |url: &str| {
        let host = url.split('/').nth(2).unwrap_or_default();
        OWN.iter().any(|own| host == *own || host.ends_with(&format!(".{own}")))
    };
    urls.filter(|url| !is_own(url)).map(str::to_owned).collect()
}

#[test]
fn a_browser_loads_nothing_complains_of_nothing_and_shows_hostile_names_as_text() {
    let names = NAMES.join(&b"\n"[..]);
    let Some(shown) = show(&rendered(Format::Html, &hostile(&names), Some(&session(&names)))) else { return };
    assert_eq!((shown.console, shown.requests), (Vec::<String>::new(), Vec::<String>::new()));
    let (_, body) = shown.dom.split_once("<body>").unwrap();
    for tag in body.split('<').skip(1) {
        let name = tag.trim_start_matches('/').split([' ', '>']).next().unwrap();
        assert!(ELEMENTS.contains(&name), "<{tag}");
    }
    for text in ["&lt;script&gt;alert(1)&lt;/script&gt;", "&lt;img src=http://evil.example/x onerror=alert(1)&gt;"] {
        assert!(body.contains(text), "{text}");
    }
    assert!(body.ends_with("</body></html>\n"), "nothing stands behind the page");
}

#[test]
fn a_page_that_does_what_ours_must_not_is_noticed() {
    let page = "<!DOCTYPE html><body><img src=\"http://evil.example/x.png\"><script>nope()</script></body>";
    let Some(shown) = show(page) else { return };
    assert!(shown.console.iter().any(|line| line.contains("nope is not defined")), "{:?}", shown.console);
    assert!(shown.requests.iter().any(|url| url == "http://evil.example/x.png"), "{:?}", shown.requests);
    assert!(shown.dom.contains("<script>"));
}
