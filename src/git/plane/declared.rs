//! What `.gitmodules` declares, so that checking out a submodule is no drift of the configuration.

use gix::bstr::{BString, ByteSlice as _};

use super::super::files;
use super::super::open::Repository;
use crate::error::Result;
use crate::policy::text::Text;

/// The settings that `git submodule init` writes for the submodules of this work tree.
///
/// A `.gitmodules` that cannot be parsed declares nothing.
pub fn read(repository: &Repository) -> Result<Vec<(Text, Text)>> {
    let Some(bytes) = files::read(&repository.location.root.join(".gitmodules"))? else { return Ok(Vec::new()) };
    let Ok(modules) = gix::config::File::try_from(bytes.to_str_lossy().as_ref()) else { return Ok(Vec::new()) };
    let origin = repository.gix.config_snapshot().string("remote.origin.url");
    let origin = origin.map_or_else(|| own_place(repository), |url| url.to_vec());
    let mut declared = Vec::new();
    for section in modules.sections_by_name("submodule").into_iter().flatten() {
        let header = section.header();
        let Some(name) = header.subsection_name() else { continue };
        let key =
            |last: &str| Text::from_bytes([b"submodule.".as_slice(), name.as_bytes(), b".", last.as_bytes()].concat());
        declared.push((key("active"), Text::from("true")));
        if let Some(url) = modules.string_by("submodule", Some(name), "url") {
            declared.push((key("url"), Text::from_bytes(resolve(&origin, &url))));
        }
    }
    declared.sort_by(|a, b| a.0.as_bytes().cmp(b.0.as_bytes()));
    Ok(declared)
}

fn own_place(repository: &Repository) -> Vec<u8> {
    repository.location.root.as_os_str().as_encoded_bytes().to_vec()
}

/// An address that begins with `./` or `../` is relative to where the repository itself came from.
fn resolve(origin: &[u8], url: &BString) -> Vec<u8> {
    let (mut base, mut rest) = (origin.strip_suffix(b"/").unwrap_or(origin), url.as_slice());
    let is_relative = rest.starts_with(b"./") || rest.starts_with(b"../");
    if !is_relative {
        return rest.to_vec();
    }
    loop {
        if let Some(after) = rest.strip_prefix(b"./") {
            rest = after;
        } else if let Some(after) = rest.strip_prefix(b"../") {
            rest = after;
            base = &base[..base.iter().rposition(|byte| *byte == b'/').unwrap_or(0)];
        } else {
            return [base, b"/", rest].concat();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_start_where_the_repository_came_from() {
        let resolved = |url: &str| String::from_utf8(resolve(b"https://host/team/app.git", &url.into())).unwrap();
        assert_eq!(resolved("../lib.git"), "https://host/team/lib.git");
        assert_eq!(resolved("./sub"), "https://host/team/app.git/sub");
        assert_eq!(resolved("../../other/x"), "https://host/other/x");
        assert_eq!(resolved("https://else/x"), "https://else/x");
    }
}
