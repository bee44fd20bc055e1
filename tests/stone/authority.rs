//! A stand-in for a Witness authority on this machine, with and without TLS.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub line: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An authority that answers everybody in the same way until the test ends.
pub struct Authority {
    pub port: u16,
    pub asked: Receiver<Asked>,
    /// The certificate, in PEM, of one that speaks TLS.
    pub certificate: Option<String>,
}

impl Authority {
    /// Answers with what `answer` makes of the body: the status line's rest, further headers, and the body.
    pub fn plain(answer: fn(&str) -> (String, String)) -> Authority {
        Self::start(None, answer)
    }

    /// The same over TLS, as `localhost`.
    pub fn encrypted(answer: fn(&str) -> (String, String)) -> Authority {
        let issued = rcgen::generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(issued.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![issued.cert.der().clone()], key)
            .unwrap();
        let mut authority = Self::start(Some(Arc::new(config)), answer);
        authority.certificate = Some(issued.cert.pem());
        authority
    }

    fn start(tls: Option<Arc<ServerConfig>>, answer: fn(&str) -> (String, String)) -> Authority {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, asked) = channel();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let told = match &tls {
                    None => serve(stream, answer),
                    Some(config) => {
                        let connection = ServerConnection::new(Arc::clone(config)).unwrap();
                        serve(StreamOwned::new(connection, stream), answer)
                    }
                };
                // A client that breaks off has asked nothing, and a test that is over listens no more.
                if let Some(asked) = told
                    && sender.send(asked).is_err()
                {
                    return;
                }
            }
        });
        Authority { port, asked, certificate: None }
    }

    pub fn url(&self) -> String {
        let scheme = if self.certificate.is_some() { "https" } else { "http" };
        format!("{scheme}://localhost:{}", self.port)
    }
}

fn serve(mut stream: impl Read + Write, answer: fn(&str) -> (String, String)) -> Option<Asked> {
    let mut reader = BufReader::new(&mut stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    };
    let first = line().filter(|line| !line.is_empty())?;
    let mut headers = Vec::new();
    while let Some((name, value)) = line()?.split_once(':') {
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let mut asked = Asked { line: first, headers, body: String::new() };
    let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    asked.body = String::from_utf8(body).unwrap();
    let (head, body) = answer(&asked.body);
    let text = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).ok()?;
    stream.flush().ok()?;
    Some(asked)
}

/// The answer of an authority that does what it should.
pub fn receipt(statement: &str) -> (String, String) {
    (
        "201 Created".into(),
        format!("{{\"signed\":{{\"accepted_at\":\"now\",\"statement\":{statement}}},\"signature\":\"s\"}}"),
    )
}
