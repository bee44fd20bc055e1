//! The attestation of a ledger: its statement is submitted to a Witness authority, whose receipt is kept beside it.

use std::net::IpAddr;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use ureq::Agent;
use ureq::http::Uri;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use super::read::{self, Found, RECEIPT};
use crate::error::{Error, Kind, Result};
use crate::ledger::store::{Beside, Store};
use crate::ledger::witness::{check_receipt, statement};
use crate::policy::escape::plain;
use crate::snapshot::digest;

/// So long an authority may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often somebody who wants to end is looked for meanwhile.
const BEAT: Duration = Duration::from_millis(50);
/// No receipt is longer.
const LONGEST_RECEIPT: u64 = 1024 * 1024;
/// How much of what an authority says about a refusal is told.
const LONGEST_REASON: usize = 400;

/// The variable that names the certificates to trust in place of those that are built in, as for OpenSSL.
const CERTIFICATES: &str = "SSL_CERT_FILE";

/// What became of an attestation, or why there is none.
pub type Attested = std::result::Result<(), String>;

/// What `attest` found or did.
#[derive(Debug)]
pub enum Answer {
    /// The statement, which nobody asked to submit.
    Statement(String),
    /// There is a receipt already; it stays.
    Present,
    /// A receipt was accepted.
    Accepted,
}

/// The session `name` of the workspace `root`, and its statement; submitted, if there is an authority's `url`.
pub fn attest(root: &Path, name: &str, url: Option<&str>) -> Result<(String, Answer)> {
    let Found { id, ledger, bytes, has_receipt } = read::find(root, name)?;
    let ledger = ledger.map_err(|broken| {
        Error::new(Kind::Ledger, format!("the ledger of session {id} is not intact: {broken}"))
            .hint("Only an intact ledger is attested.")
    })?;
    let statement = statement(&ledger, &bytes);
    let Some(url) = url else { return Ok((id, Answer::Statement(statement))) };
    if has_receipt {
        return Ok((id, Answer::Present));
    }
    let failed = |why: String| Error::new(Kind::Ledger, format!("the attestation failed: {why}"));
    let receipt = submit(url, &statement).map_err(failed)?;
    let store = Store::open(root)?.ok_or_else(|| failed("the workspace is gone".into()))?;
    store.add(&id, &beside(&receipt)).map_err(|error| failed("the receipt cannot be kept".into()).caused_by(error))?;
    Ok((id, Answer::Accepted))
}

/// Submits the statement of a session that was just sealed, and keeps the receipt. It is given up when `stop` says so.
pub(super) fn attest_sealed(
    store: &Store,
    id: &str,
    statement: String,
    url: String,
    stop: &dyn Fn() -> bool,
) -> Attested {
    let (sender, receiver) = channel();
    // Nobody waits for a thread that is given up: it ends with the process.
    std::thread::spawn(move || sender.send(submit(&url, &statement)));
    let receipt = loop {
        match receiver.recv_timeout(BEAT) {
            Ok(submitted) => break submitted?,
            Err(RecvTimeoutError::Timeout) if !stop() => {}
            Err(RecvTimeoutError::Timeout) => return Err("it was interrupted".into()),
            Err(RecvTimeoutError::Disconnected) => return Err("the submission broke off".into()),
        }
    };
    store.add(id, &beside(&receipt)).map_err(|error| format!("the receipt cannot be kept: {error}"))
}

fn beside(receipt: &[u8]) -> Beside<'_> {
    Beside { name: RECEIPT, bytes: receipt, mode: 0o644 }
}

/// Submits a statement; gives back the receipt, which embeds just that statement.
fn submit(url: &str, statement: &str) -> std::result::Result<Vec<u8>, String> {
    let target = format!("{}/v1/receipts", url.trim_end_matches('/'));
    let uri: Uri = target.parse().map_err(|_| format!("{} is no URL", plain(url.as_bytes())))?;
    let agent = agent(&uri)?;
    // Whoever submits the same statement twice has submitted it once.
    let key = format!("sha256:{}", digest::hex(&digest::sha256(statement.as_bytes())));
    let request = agent.post(uri).header("Content-Type", "application/json").header("Idempotency-Key", key);
    let mut response = request.send(statement).map_err(|error| unreachable(&error))?;
    let status = response.status();
    let body = response.body_mut().with_config().limit(LONGEST_RECEIPT).read_to_vec();
    let body = body.map_err(|error| unreachable(&error))?;
    if status.is_redirection() {
        return Err(format!("the authority answers with a redirect (HTTP {}), which is not followed", status.as_u16()));
    }
    if !status.is_success() {
        let detail = plain(body[..body.len().min(LONGEST_REASON)].trim_ascii());
        return Err(format!("the authority refused the statement: HTTP {} {detail}", status.as_u16())
            .trim_end()
            .into());
    }
    check_receipt(&body, statement)?;
    Ok(body)
}

fn unreachable(error: &ureq::Error) -> String {
    format!("cannot reach the authority: {}", plain(error.to_string().as_bytes()))
}

/// Somebody to talk to this authority with: encrypted, or to this very machine.
fn agent(uri: &Uri) -> std::result::Result<Agent, String> {
    let config = Agent::config_builder().timeout_global(Some(PATIENCE)).max_redirects(0).http_status_as_error(false);
    match uri.scheme_str() {
        Some("https") => {
            let tls = TlsConfig::builder().root_certs(roots()?).build();
            Ok(config.tls_config(tls).build().new_agent())
        }
        // A proxy is somewhere else.
        Some("http") if is_loopback(uri.host().unwrap_or_default()) => Ok(config.proxy(None).build().new_agent()),
        Some("http") => Err("plain HTTP to another machine is refused: use HTTPS".into()),
        scheme => Err(format!(
            "`{}` is no way to reach an authority: use HTTPS",
            plain(scheme.unwrap_or_default().as_bytes())
        )),
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// The certificates that an authority's own must lead to.
fn roots() -> std::result::Result<RootCerts, String> {
    let Some(path) = std::env::var_os(CERTIFICATES) else { return Ok(RootCerts::WebPki) };
    let pem = std::fs::read(&path).map_err(|error| format!("cannot read {CERTIFICATES}: {error}"))?;
    let certificates: Vec<_> = parse_pem(&pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    Ok(RootCerts::new_with_certs(&certificates))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_encrypted_or_to_this_machine() {
        let told = |url: &str| agent(&url.parse().unwrap()).map(drop);
        for url in
            ["https://a.example/x", "http://localhost:1", "http://LOCALHOST", "http://127.1.2.3:9", "http://[::1]:9"]
        {
            assert_eq!(told(url), Ok(()), "{url}");
        }
        for url in [
            "http://a.example",
            "http://localhost.a.example",
            "http://localhost@a.example",
            "http://127.0.0.1.a.example",
            "http://[::2]",
            "ftp://localhost",
            "localhost:80",
        ] {
            assert!(told(url).is_err(), "{url}");
        }
    }
}
