//! The bytes of a work tree file as Git would store them: encoding, line endings and `$Id$` undone, no program run.
//!
//! Built from gitoxide's converters, not from its pipeline: the pipeline runs filter drivers, reads `ident=value` as
//! `ident`, and fails where Git falls back to the raw content. Symbolic links are not converted; their content is the
//! text of the link.

use std::borrow::Cow;
use std::io::{Read, Seek};

use gix::ObjectId;
use gix::bstr::BStr;
use gix::config::Boolean;
use gix::filter::plumbing::eol::{self, AttributesDigest, AutoCrlf, Mode};
use gix::filter::plumbing::ident;
use gix::hash::Kind as HashKind;

use super::attributes::{PathAttributes, Value};
use super::{blob, encoding};
use crate::error::{Error, Result};

/// Larger files are looked through once before they are read into memory, in case nothing in them would change.
const WHOLE: u64 = 16 * 1024 * 1024;

/// What the configuration says about line endings, as captured at arm. `core.safecrlf` only ever warns or refuses, so it
/// has no place here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineEndings {
    autocrlf: AutoCrlf,
    eol: Option<Mode>,
}

impl LineEndings {
    /// From the values of `core.autocrlf` and `core.eol` as they stand in the configuration, if they do. What is neither
    /// a word that Git knows nor a boolean counts as not set.
    pub fn from_config(autocrlf: Option<&[u8]>, eol: Option<&[u8]>) -> Self {
        let autocrlf = match autocrlf {
            Some(value) if value.eq_ignore_ascii_case(b"input") => AutoCrlf::Input,
            Some(value) if Boolean::try_from(<&BStr>::from(value)).is_ok_and(|boolean| boolean.0) => AutoCrlf::Enabled,
            _ => AutoCrlf::Disabled,
        };
        let eol = match eol {
            Some(value) if value.eq_ignore_ascii_case(b"lf") => Some(Mode::Lf),
            Some(value) if value.eq_ignore_ascii_case(b"crlf") => Some(Mode::CrLf),
            _ => None,
        };
        LineEndings { autocrlf, eol }
    }

    /// Whether a checkout makes line ends other than those that Git stores, without any attribute saying so.
    pub fn rewrites(self) -> bool {
        self.autocrlf == AutoCrlf::Enabled || self.eol == Some(Mode::CrLf)
    }

    fn for_gix(self) -> eol::Configuration {
        eol::Configuration { auto_crlf: self.autocrlf, eol: self.eol }
    }
}

/// Where the blob that the index holds for the path can be had; asked only when it decides something.
///
/// Git leaves CRLF alone under automatic conversion if the index has CRLF already. `None` means that the path is not in
/// the index; during a merge it is stage 2 that counts.
pub type IndexBlob<'a> = &'a mut dyn FnMut() -> Result<Option<Vec<u8>>>;

/// How the content of one path is converted.
#[derive(Debug, Clone, Copy)]
pub struct Conversion<'a> {
    attributes: &'a PathAttributes,
    config: eol::Configuration,
    digest: AttributesDigest,
    encoding: Option<&'a [u8]>,
    ident: bool,
}

/// Content as Git would store it.
#[derive(Debug, PartialEq, Eq)]
pub struct Converted<'a> {
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Whether the path has a `working-tree-encoding` that this content could not be read in, so that the bytes are raw.
    /// Git does the same when it compares, and refuses to add the file.
    pub undecodable: bool,
}

/// The blob id of a work tree file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// The id of the content as Git would store it.
    pub id: ObjectId,
    /// Whether that content is not the bytes of the file.
    pub converted: bool,
}

impl<'a> Conversion<'a> {
    /// What `attributes` and the frozen configuration make of a path.
    pub fn new(attributes: &'a PathAttributes, endings: LineEndings) -> Self {
        let config = endings.for_gix();
        Conversion {
            attributes,
            config,
            digest: digest(attributes, config),
            encoding: attributes.encoding.value().filter(|name| !name.is_empty() && !encoding::is_utf8(name)),
            ident: attributes.ident == Value::Set,
        }
    }

    /// Whether no content of this path is ever converted.
    pub fn is_identity(&self) -> bool {
        self.digest == AttributesDigest::Binary && self.encoding.is_none() && !self.ident
    }

    /// Whether a checkout may write other bytes than the blob has, so that the file cannot be rebuilt from it.
    pub fn rewrites(&self) -> bool {
        use AttributesDigest::{Text, TextAuto, TextAutoCrlf, TextCrlf};
        let endings = match self.digest {
            TextCrlf | TextAutoCrlf => true,
            Text | TextAuto => self.config.to_eol() == Mode::CrLf,
            _ => false,
        };
        endings || self.encoding.is_some() || self.ident || self.driver().is_some()
    }

    /// The name of the filter driver that the path names. It is not run, and the conversion goes on from the raw content,
    /// as Git does if the driver is not configured; if it is, the result is not what Git would store.
    pub fn driver(&self) -> Option<&'a [u8]> {
        self.attributes.filter.value()
    }

    /// `bytes`, the content of a regular file, as Git would store them.
    pub fn to_git<'b>(&self, bytes: &'b [u8], index: IndexBlob<'_>) -> Result<Converted<'b>> {
        let decoded = self.encoding.map(|name| encoding::to_utf8(name, bytes));
        let undecodable = matches!(decoded, Some(None));
        let mut content = match decoded.flatten() {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(bytes),
        };
        if let Some(text) = self.unix_endings(&content, index)? {
            content = Cow::Owned(text);
        }
        if self.ident {
            let mut text = Vec::new();
            if ident::undo(&content, &mut text)
                .map_err(|source| Error::io("a file does not fit into memory", source))?
            {
                content = Cow::Owned(text);
            }
        }
        Ok(Converted { bytes: content, undecodable })
    }

    /// The blob id of the open regular file `file`, which has `size` bytes and stands at its start.
    ///
    /// What needs no conversion is streamed. A file that shrinks or grows meanwhile is an error.
    pub fn identify(
        &self,
        hash: HashKind,
        file: &mut (impl Read + Seek),
        size: u64,
        index: IndexBlob<'_>,
    ) -> Result<Identity> {
        let rewind = |file: &mut dyn Seek| file.rewind().map_err(|source| Error::io("a file cannot be read", source));
        let mut untouched = self.is_identity();
        if !untouched && size > WHOLE {
            untouched = self.leaves_alone(file, size)?;
            rewind(file)?;
        }
        if untouched {
            return Ok(Identity { id: blob::id_of_reader(hash, file, size)?, converted: false });
        }
        let raw = blob::read_sized(file, size)?;
        let content = self.to_git(&raw, index)?;
        Ok(Identity { id: blob::id_of(hash, &content.bytes)?, converted: *content.bytes != *raw })
    }

    /// Whether a stream is surely not changed by the conversion, found out in constant memory.
    fn leaves_alone(&self, file: &mut dyn Read, size: u64) -> Result<bool> {
        if self.encoding.is_some() || self.ident {
            return Ok(false);
        }
        let (mut carriage_return, mut nul) = (false, false);
        blob::each_chunk(file, size, |chunk| {
            carriage_return |= chunk.contains(&b'\r');
            nul |= chunk.contains(&0);
        })?;
        Ok(!carriage_return || (nul && self.digest.is_auto_text()))
    }

    /// `content` with CRLF made LF, or `None` if it stays as it is.
    fn unix_endings(&self, content: &[u8], index: IndexBlob<'_>) -> Result<Option<Vec<u8>>> {
        let mut failure = None;
        let mut text = Vec::new();
        let options = eol::convert_to_git::Options { round_trip_check: None, config: self.config };
        let mut staged = |buffer: &mut Vec<u8>| {
            let blob = index().unwrap_or_else(|error| {
                failure = Some(error);
                None
            });
            // Git judges what follows the first carriage return, gitoxide all it is given.
            Ok(blob.and_then(|blob| blob.iter().position(|byte| *byte == b'\r').map(|start| (blob, start))).map(
                |(blob, start)| {
                    buffer.clear();
                    buffer.extend_from_slice(&blob[start..]);
                },
            ))
        };
        let changed = eol::convert_to_git(content, self.digest, &mut text, &mut staged, options)
            .map_err(|source| Error::repository(format!("line endings cannot be converted: {source}")))?;
        match failure {
            Some(error) => Err(error),
            None => Ok(changed.then_some(text)),
        }
    }
}

/// What becomes of line endings: the decision table of gitattributes(5).
fn digest(attributes: &PathAttributes, config: eol::Configuration) -> AttributesDigest {
    use AttributesDigest::{Binary, Text, TextAuto, TextAutoCrlf, TextAutoInput, TextCrlf, TextInput};
    let text = text_rule(&attributes.text).or_else(|| text_rule(&attributes.crlf));
    match (text, attributes.eol.value()) {
        (Some(Binary), _) => Binary,
        (Some(TextAuto), Some(b"lf")) => TextAutoInput,
        (Some(TextAuto), Some(b"crlf")) => TextAutoCrlf,
        (_, Some(b"lf")) => TextInput,
        (_, Some(b"crlf")) => TextCrlf,
        (Some(Text), _) => config.to_eol().into(),
        (Some(rule), _) => rule,
        (None, _) => config.auto_crlf.into(),
    }
}

/// What `text` or its old name `crlf` says by itself.
fn text_rule(value: &Value) -> Option<AttributesDigest> {
    match value {
        Value::Set => Some(AttributesDigest::Text),
        Value::Unset => Some(AttributesDigest::Binary),
        Value::Is(word) if word == b"input" => Some(AttributesDigest::TextInput),
        Value::Is(word) if word == b"auto" => Some(AttributesDigest::TextAuto),
        Value::Is(_) | Value::Unspecified => None,
    }
}
