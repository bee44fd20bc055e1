//! PURE. What a Witness authority is told about a ledger, and whether its receipt is about just that.

use serde_json::Value;

use super::canonical::Object;
use super::chain;
use super::record::Ledger;

/// The version of the statement and of the format that belong to a ledger without and with confinement.
const VERSIONS: [(&str, &str); 2] =
    [("witness.statement/0.1", "cornerstone/0.1"), ("witness.statement/0.2", "cornerstone/0.2")];

/// The statement that binds a session to the digest of its ledger's bytes. `ledger` was read from `bytes`.
pub fn statement(ledger: &Ledger, bytes: &[u8]) -> String {
    let (statement_version, spec_version) = VERSIONS[usize::from(ledger.started.confinement.is_some())];
    let digest = Object::new().text("algorithm", "sha256").text("value", chain::link(bytes));
    let artifact = Object::new()
        .text("byte_scope", "entire-file-including-final-newline")
        .plain("digest", &digest)
        .text("media_type", "application/vnd.cornerstone.ledger+jsonl");
    let subject = Object::new().text("session_id", &ledger.started.id).text("spec_version", spec_version);
    Object::new()
        .plain("artifact", &artifact)
        .text("statement_version", statement_version)
        .plain("subject", &subject)
        .to_string()
}

/// Checks that a receipt embeds exactly the statement that was submitted. Whether its signature is good is another
/// program's question.
///
/// # Errors
/// Says what is wrong with it.
pub fn check_receipt(receipt: &[u8], statement: &str) -> Result<(), &'static str> {
    let receipt: Value = serde_json::from_slice(receipt).map_err(|_| "the receipt is not valid JSON")?;
    let submitted: Value = serde_json::from_str(statement).expect("a statement of our own is JSON");
    let embedded = receipt.get("signed").and_then(|signed| signed.get("statement"));
    if embedded == Some(&submitted) { Ok(()) } else { Err("the receipt is for a different statement") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_embeds_the_statement_and_nothing_else() {
        let statement = r#"{"a":1,"b":{"c":"x"}}"#;
        let check = |receipt: &str| check_receipt(receipt.as_bytes(), statement);
        assert_eq!(check(r#"{"signed":{"statement":{"b":{"c":"x"},"a":1},"at":"now"},"signature":"s"}"#), Ok(()));
        let nested = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        for odd in ["", "nonsense", "\u{1}", &nested] {
            assert_eq!(check(odd), Err("the receipt is not valid JSON"), "{odd}");
        }
        for other in [
            "null",
            "[]",
            "7",
            "\"signed\"",
            "{}",
            r#"{"signed":7}"#,
            r#"{"signed":[]}"#,
            r#"{"signed":{"statement":null}}"#,
            r#"{"signed":{"statement":{"a":1}}}"#,
            r#"{"signed":{"statement":{"a":1,"b":{"c":"x"},"d":2}}}"#,
            r#"{"statement":{"a":1,"b":{"c":"x"}}}"#,
        ] {
            assert_eq!(check(other), Err("the receipt is for a different statement"), "{other}");
        }
    }
}
