//! PURE. Signed statements: the envelope of DSSE around a payload, with Ed25519 keys
//! (<https://github.com/secure-systems-lab/dsse>).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::json;
use crate::snapshot::digest;

const PRIVATE: &str = "cordon ed25519 private key 1";
const PUBLIC: &str = "cordon ed25519 public key 1";

/// A key that signs.
pub struct PrivateKey(SigningKey);

/// A key that checks what the private one has signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload_type: String,
    payload: String,
    signatures: Vec<Signed>,
}

#[derive(Serialize, Deserialize)]
struct Signed {
    #[serde(default)]
    keyid: String,
    sig: String,
}

impl PrivateKey {
    /// The key with these 32 secret bytes.
    pub fn new(secret: &[u8; 32]) -> PrivateKey {
        PrivateKey(SigningKey::from_bytes(secret))
    }

    /// The form in a file: a line that says what it is, and the 32 bytes in base64.
    pub fn encode(&self) -> String {
        format!("{PRIVATE}\n{}\n", STANDARD.encode(self.0.to_bytes()))
    }

    /// Reads that form back.
    pub fn decode(text: &[u8]) -> Option<PrivateKey> {
        lines(text, PRIVATE).map(|secret| PrivateKey::new(&secret))
    }

    /// The key for whoever checks.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    /// The envelope around `payload`.
    pub fn sign(&self, payload_type: &str, payload: &[u8]) -> Vec<u8> {
        let signature = self.0.sign(&pae(payload_type, payload));
        let signed = Signed { keyid: self.public().id(), sig: STANDARD.encode(signature.to_bytes()) };
        json::pretty(&Envelope {
            payload_type: payload_type.to_owned(),
            payload: STANDARD.encode(payload),
            signatures: vec![signed],
        })
    }
}

impl PublicKey {
    /// The form in a file: a line that says what it is, and the 32 bytes in base64.
    pub fn encode(&self) -> String {
        format!("{PUBLIC}\n{}\n", STANDARD.encode(self.0.to_bytes()))
    }

    /// Reads that form back.
    pub fn decode(text: &[u8]) -> Option<PublicKey> {
        lines(text, PUBLIC).and_then(|bytes| VerifyingKey::from_bytes(&bytes).ok()).map(PublicKey)
    }

    /// The name of the key in an envelope: SHA-256 of its bytes.
    pub fn id(&self) -> String {
        digest::hex(&digest::sha256(self.0.as_bytes()))
    }

    /// The payload of an envelope, if this key has signed it.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn open(&self, payload_type: &str, envelope: &[u8]) -> Result<Vec<u8>, &'static str> {
        let envelope: Envelope = serde_json::from_slice(envelope).map_err(|_| "is no DSSE envelope")?;
        if envelope.payload_type != payload_type {
            return Err("holds a payload of another type");
        }
        let payload = decoded(&envelope.payload).ok_or("holds a payload that is not in base64")?;
        let message = pae(payload_type, &payload);
        let is_good = |signed: &Signed| {
            let signature = decoded(&signed.sig).and_then(|bytes| Signature::from_slice(&bytes).ok());
            signature.is_some_and(|signature| self.0.verify_strict(&message, &signature).is_ok())
        };
        if envelope.signatures.iter().any(is_good) { Ok(payload) } else { Err("bears no signature of this key") }
    }
}

/// What is signed: the type and the payload, each behind its length, so that no two pairs look alike.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

/// Both alphabets are allowed.
fn decoded(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).or_else(|_| URL_SAFE.decode(text)).ok()
}

/// The 32 bytes of a key's file.
fn lines(text: &[u8], head: &str) -> Option<[u8; 32]> {
    let text = std::str::from_utf8(text).ok()?;
    let (first, rest) = text.split_once('\n')?;
    let bytes = (first == head).then(|| decoded(rest.trim_end()))??;
    bytes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_signed_is_as_the_specification_shows() {
        let pae = pae("http://example.com/HelloWorld", b"hello world");
        assert_eq!(pae, b"DSSEv1 29 http://example.com/HelloWorld 11 hello world");
        assert_eq!(super::pae("", b""), b"DSSEv1 0  0 ");
    }

    #[test]
    fn keys_are_those_of_rfc_8032() {
        // Section 7.1, test 1: the empty message.
        let hex = |text: &str| -> Vec<u8> {
            (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
        };
        let secret = hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
        let key = PrivateKey::new(&secret.try_into().unwrap());
        let public = hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        assert_eq!(key.public().0.as_bytes().as_slice(), public);
        let signature = hex(concat!(
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b",
            "d25bf5f0595bbe24655141438e7a100b"
        ));
        assert_eq!(key.0.sign(b"").to_bytes().as_slice(), signature);
    }

    #[test]
    fn only_the_own_key_opens_what_was_not_touched() {
        let (key, other) = (PrivateKey::new(&[7; 32]), PrivateKey::new(&[8; 32]));
        let envelope = key.sign("t", b"payload\xff");
        assert_eq!(key.public().open("t", &envelope).unwrap(), b"payload\xff");
        assert_eq!(other.public().open("t", &envelope), Err("bears no signature of this key"));
        assert_eq!(key.public().open("u", &envelope), Err("holds a payload of another type"));
        assert_eq!(key.public().open("t", b"{}"), Err("is no DSSE envelope"));
        for at in 0..envelope.len() {
            let mut touched = envelope.clone();
            touched[at] ^= 1;
            // The name of the key is only a hint, and spaces mean nothing.
            if let Ok(payload) = key.public().open("t", &touched) {
                assert_eq!(payload, b"payload\xff", "{at}");
            }
        }
        let swapped = String::from_utf8(envelope).unwrap().replace(&STANDARD.encode(b"payload\xff"), "b3RoZXI=");
        assert_eq!(key.public().open("t", swapped.as_bytes()), Err("bears no signature of this key"));
    }

    #[test]
    fn keys_are_read_as_they_are_written() {
        let key = PrivateKey::new(&[9; 32]);
        let read = PrivateKey::decode(key.encode().as_bytes()).unwrap();
        assert_eq!(read.public(), key.public());
        assert_eq!(PublicKey::decode(key.public().encode().as_bytes()), Some(key.public()));
        assert!(PublicKey::decode(key.encode().as_bytes()).is_none(), "a private key is no public one");
        for odd in [
            "",
            "cordon ed25519 private key 1",
            "cordon ed25519 private key 1\n",
            "cordon ed25519 private key 1\nAAAA\n",
        ] {
            assert!(PrivateKey::decode(odd.as_bytes()).is_none(), "{odd}");
        }
    }
}
