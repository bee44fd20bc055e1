//! Attestation: the statement byte for byte, what an authority may answer, and a receipt that is never replaced.

use std::fs;
use std::time::{Duration, Instant};

use super::authority::{Authority, receipt};
use super::common::{Space, counterpart, run};

fn recorded() -> (Space, String) {
    let space = Space::new();
    space.observe("echo 1 > a; echo 2 > b").exits(0);
    let id = space.sessions().pop().unwrap();
    (space, id)
}

/// The head and the body of an answer.
type Answer = fn(&str) -> (String, String);

/// Answers that are no receipt for the statement.
const ODD: [Answer; 11] = [
    |_| ("200 OK".into(), String::new()),
    |_| ("200 OK".into(), "nonsense".into()),
    |_| ("200 OK".into(), "[]".into()),
    |_| ("200 OK".into(), "{\"signed\":7}".into()),
    |_| ("200 OK".into(), "{\"signed\":[]}".into()),
    |_| ("200 OK".into(), "{\"signed\":null}".into()),
    |_| ("200 OK".into(), "{\"signed\":{\"statement\":{}}}".into()),
    |statement| ("200 OK".into(), receipt(&statement.replace("sha256", "md5")).1),
    |statement| ("503 Busy".into(), receipt(statement).1),
    |_| ("200 OK".into(), "[".repeat(100_000)),
    |_| ("200 OK".into(), " ".repeat(2 * 1024 * 1024)),
];

#[test]
fn the_statement_has_the_known_form() {
    let (space, id) = recorded();
    let digest = run(space.command("sha256sum".as_ref(), &[space.file(&id, "events.jsonl")])).exits(0).stdout;
    let expected = format!(
        "{{\"artifact\":{{\"byte_scope\":\"entire-file-including-final-newline\",\"digest\":{{\"algorithm\":\"sha256\",\
         \"value\":\"{}\"}},\"media_type\":\"application/vnd.cornerstone.ledger+jsonl\"}},\"statement_version\":\
         \"witness.statement/0.2\",\"subject\":{{\"session_id\":\"{id}\",\"spec_version\":\"cornerstone/0.2\"}}}}\n",
        &digest[..64]
    );
    let outcome = space.stone(&["attest", "latest"]).exits(0);
    assert_eq!((outcome.stdout, outcome.stderr), (expected.clone(), String::new()));
    assert_eq!(space.stone(&["attest", "--json", &id]).exits(0).stdout, expected);
    if let Some(real) = counterpart() {
        assert_eq!(space.real(&real, &["attest", "latest"]).exits(0).stdout, expected);
        space.real(&real, &["run", "--", "touch", "x"]).exits(0);
        let (ours, theirs) = (space.stone(&["attest", "latest"]), space.real(&real, &["attest", "latest"]));
        assert_eq!(ours.exits(0).stdout, theirs.exits(0).stdout);
    }
}

#[test]
fn a_receipt_is_kept_and_never_replaced() {
    let (space, id) = recorded();
    let authority = Authority::plain(receipt);
    let url = format!("{}///", authority.url());
    let told = space.stone(&["attest", "--url", &url, "latest"]).exits(0).stdout;
    assert_eq!(told, "Attestation: receipt accepted and saved as receipt.json\n");
    let asked = authority.asked.recv().unwrap();
    assert_eq!(asked.line, "POST /v1/receipts HTTP/1.1");
    let statement = space.stone(&["attest", "latest"]).exits(0).stdout;
    assert_eq!(asked.body, statement.trim_end());
    let kept = fs::read_to_string(space.file(&id, "receipt.json")).unwrap();
    assert_eq!(kept, receipt(&asked.body).1);

    let told = space.stone(&["attest", "--url", &url, "latest"]).exits(0).stdout;
    assert!(told.starts_with("Receipt already present"), "{told}");
    assert!(authority.asked.recv_timeout(Duration::from_millis(200)).is_err(), "nobody was asked again");
    assert_eq!(fs::read_to_string(space.file(&id, "receipt.json")).unwrap(), kept);
    assert!(space.stone(&["verify", "latest"]).exits(0).stdout.contains("Receipt present"));

    if let Some(real) = counterpart() {
        let told = space.real(&real, &["attest", "--url", &authority.url(), "latest"]).exits(0).stdout;
        assert!(told.starts_with("Receipt already present"), "{told}");
        fs::remove_file(space.file(&id, "receipt.json")).unwrap();
        space.real(&real, &["attest", "--url", &url, "latest"]).exits(0);
        let theirs = authority.asked.recv().unwrap();
        assert_eq!((&theirs.line, &theirs.body), (&asked.line, &asked.body));
        for name in ["idempotency-key", "content-type"] {
            assert_eq!(theirs.header(name), asked.header(name));
        }
    }
}

#[test]
fn a_session_is_attested_right_after_it() {
    let space = Space::new();
    let authority = Authority::plain(receipt);
    let args =
        ["run", "--attest", &authority.url(), "--attest-policy", "strict", "--", "sh", "-c", "echo 1 > a; exit 3"];
    let told = space.stone(&args).exits(3).stdout;
    assert!(told.ends_with("\nAttestation: receipt accepted and saved as receipt.json\n"), "{told}");
    let id = space.sessions().pop().unwrap();
    let kept = fs::read_to_string(space.file(&id, "receipt.json")).unwrap();
    assert_eq!(kept, receipt(space.stone(&["attest", "latest"]).exits(0).stdout.trim_end()).1);
    if let Some(real) = counterpart() {
        assert!(space.real(&real, &["verify", "latest"]).exits(0).stdout.contains("Receipt present"));
    }
}

#[test]
fn an_odd_answer_is_a_failed_attestation_and_nothing_more() {
    for (number, answer) in ODD.into_iter().enumerate() {
        let space = Space::new();
        let authority = Authority::plain(answer);
        let url = authority.url();
        let told = space.stone(&["run", "--attest", &url, "--", "sh", "-c", "exit 5"]).exits(5).stdout;
        assert!(told.contains("\nAttestation FAILED: "), "answer {number}: {told}");
        space.stone(&["run", "--attest", &url, "--attest-policy=strict", "--", "touch", "x"]).exits(94);
        assert_eq!(space.told(), ["created x"]);
        for id in space.sessions() {
            space.stone(&["verify", &id]).exits(0);
            assert!(!space.file(&id, "receipt.json").exists());
            space.stone(&["attest", "--url", &url, &id]).exits(1);
        }
    }
}

#[test]
fn a_redirect_is_not_followed() {
    let (space, id) = recorded();
    let authority = Authority::plain(|_| {
        ("307 Temporary Redirect\r\nLocation: http://localhost:1/v1/receipts".into(), String::new())
    });
    let outcome = space.stone(&["attest", "--url", &authority.url(), &id]).exits(1);
    assert!(outcome.stderr.contains("a redirect (HTTP 307), which is not followed"), "{}", outcome.stderr);
}

#[test]
fn only_https_leaves_this_machine() {
    let (space, id) = recorded();
    for url in ["http://witness.example", "ftp://localhost", "nonsense", "", "http://"] {
        space.stone(&["attest", "--url", url, &id]).exits(1);
        let args = ["run", "--attest", url, "--attest-policy", "strict", "--", "true"];
        assert!(space.stone(&args).exits(94).stdout.contains("Attestation FAILED"));
    }
}

#[test]
fn a_proxy_is_not_asked_for_this_machine() {
    let (space, id) = recorded();
    let authority = Authority::plain(receipt);
    let mut command = space.ours_command(&["attest", "--url", &authority.url(), &id]);
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env(name, "http://127.0.0.1:1");
    }
    run(command).exits(0);
}

#[test]
fn tls_is_spoken_with_whom_a_certificate_vouches_for() {
    let (space, id) = recorded();
    let authority = Authority::encrypted(receipt);
    let args = ["attest", "--url", &authority.url(), &id];
    let outcome = space.stone(&args).exits(1);
    assert!(outcome.stderr.contains("cannot reach the authority"), "{}", outcome.stderr);
    space.write("ca.pem", authority.certificate.as_ref().unwrap());
    let mut command = space.ours_command(&args);
    command.env("SSL_CERT_FILE", space.at("ca.pem"));
    run(command).exits(0);
    assert_eq!(authority.asked.recv().unwrap().line, "POST /v1/receipts HTTP/1.1");
    let mut other = space.ours_command(&["attest", "--url", &format!("https://127.0.0.1:{}", authority.port), &id]);
    fs::remove_file(space.file(&id, "receipt.json")).unwrap();
    other.env("SSL_CERT_FILE", space.at("ca.pem"));
    run(other).exits(1);
}

#[test]
fn a_broken_ledger_is_not_attested() {
    let (space, id) = recorded();
    let authority = Authority::plain(receipt);
    let whole = fs::read_to_string(space.file(&id, "events.jsonl")).unwrap();
    fs::write(space.file(&id, "events.jsonl"), whole.replace("\"size\":2", "\"size\":3")).unwrap();
    let outcome = space.stone(&["attest", "--url", &authority.url(), &id]).exits(1);
    assert!(outcome.stderr.contains("is not intact: record 3"), "{}", outcome.stderr);
    assert!(authority.asked.recv_timeout(Duration::from_millis(200)).is_err());
    space.stone(&["attest", "nonsense"]).exits(1);
    space.stone(&["run", "--attest-policy", "strict", "--", "true"]).exits(2);
    space.stone(&["run", "--attest-policy", "odd", "--attest", "http://localhost:1", "--", "true"]).exits(2);
}

#[test]
fn an_authority_that_says_nothing_is_given_up_on_a_signal() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    let space = Space::new();
    let mut command = space.ours_command(&["run", "--attest", &url, "--", "true"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    let _asked = listener.accept().unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    let told = super::common::finish(child).exits(0).stdout;
    assert!(told.contains("Attestation FAILED: it was interrupted"), "{told}");
    assert!(began.elapsed() < Duration::from_secs(10));
}
