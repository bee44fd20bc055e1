//! The page, read strictly: it is well-formed, has the elements that it may have and no others, and loads nothing.

use cordon::audit::evidence::ChangeKind;
use cordon::report::formats::table::Format;
use roxmltree::{Document, Node, ParsingOptions};

use crate::hostile::NAMES;
use crate::verdict::{accepted, change, hostile, rendered, session};

/// The elements of a page.
pub const ELEMENTS: &[&str] = &[
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "article", "h1", "h2",
    "h3", "p", "span", "strong", "code", "pre", "ul", "li", "dl", "dt", "dd", "svg", "g", "rect", "text",
];

const ATTRIBUTES: &[&str] = &[
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "viewBox",
    "role",
    "aria-label",
    "aria-hidden",
    "preserveAspectRatio",
    "x",
    "y",
    "width",
    "height",
];

/// A page as XML.
pub fn parsed(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap_or_else(|error| panic!("{error}: {page}"))
}

fn attribute<'a>(node: &Node<'a, '_>, name: &str) -> &'a str {
    node.attribute(name).unwrap_or_else(|| panic!("{node:?} has no {name}"))
}

#[test]
fn a_page_has_the_elements_that_it_may_have_and_no_others() {
    for name in NAMES {
        let page = rendered(Format::Html, &hostile(name), Some(&session(name)));
        for node in parsed(&page).descendants().filter(Node::is_element) {
            assert!(ELEMENTS.contains(&node.tag_name().name()), "{node:?} by {name:?}");
            for attribute in node.attributes() {
                assert!(ATTRIBUTES.contains(&attribute.name()), "{attribute:?} by {name:?}");
            }
        }
    }
}

#[test]
fn a_page_may_load_nothing_and_its_style_is_the_one_that_its_policy_names() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let page = rendered(Format::Html, &accepted(), None);
    let document = parsed(&page);
    let find = |name: &str| document.descendants().find(|node| node.has_tag_name(name)).unwrap();
    let policy = document.descendants().find(|node| node.attribute("http-equiv").is_some()).unwrap();
    let digest = sha2::Sha256::digest(find("style").text().unwrap().as_bytes());
    let digest = base64::engine::general_purpose::STANDARD.encode(digest);
    assert_eq!(attribute(&policy, "http-equiv"), "Content-Security-Policy");
    assert_eq!(
        attribute(&policy, "content"),
        format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
    );
    assert!(!page.contains("http:") && !page.contains("https:") && !page.contains("url("));
}

#[test]
fn a_page_is_read_by_its_headings_and_its_pictures_say_what_they_are() {
    let page = rendered(Format::Html, &hostile(b"x"), Some(&session(b"x")));
    let document = parsed(&page);
    let level = |node: &Node<'_, '_>| node.tag_name().name().strip_prefix('h')?.parse::<u32>().ok();
    let levels: Vec<u32> = document.descendants().filter_map(|node| level(&node)).collect();
    assert_eq!((levels[0], levels.iter().filter(|level| **level == 1).count()), (1, 1));
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
    for picture in document.descendants().filter(|node| node.has_tag_name("svg")) {
        let hidden = picture.attribute("aria-hidden") == Some("true");
        assert!(hidden || !attribute(&picture, "aria-label").is_empty(), "{picture:?}");
    }
    let titles: Vec<&str> =
        document.descendants().filter(|node| node.has_tag_name("h2")).filter_map(|n| n.text()).collect();
    assert_eq!(
        titles,
        ["What to do", "Budgets", "Where the change is", "Changed paths", "Verifiers", "Noted", "Notes", "Ledger"]
    );
}

#[test]
fn the_picture_has_a_rectangle_for_each_file_as_large_as_its_change() {
    let mut verdict = accepted();
    verdict.changes = vec![
        change(b"src/a.rs", ChangeKind::Added, 300, 0),
        change(b"src/b.rs", ChangeKind::Modified, 60, 40),
        change(b"docs/c.md", ChangeKind::Deleted, 0, 100),
    ];
    let page = rendered(Format::Html, &verdict, None);
    let document = parsed(&page);
    let map = document.descendants().find(|node| node.attribute("class") == Some("map broad")).unwrap();
    let tiles: Vec<(String, f64)> = map
        .descendants()
        .filter(|node| node.has_tag_name("rect") && attribute(node, "class").starts_with("tile"))
        .map(|node| {
            let side = |name| attribute(&node, name).parse::<f64>().unwrap();
            let title = node.parent().unwrap().first_element_child().unwrap();
            (title.text().unwrap().to_owned(), side("width") * side("height"))
        })
        .collect();
    let area = |name: &str| tiles.iter().find(|(title, _)| title.starts_with(name)).unwrap().1;
    assert_eq!(tiles.len(), 3);
    assert!((area("src/a.rs") / area("src/b.rs") - 3.0).abs() < 0.2, "{tiles:?}");
    assert!((area("src/a.rs") / area("docs/c.md") - 3.0).abs() < 0.3, "{tiles:?}");
    verdict.changes = (0..1000).map(|n| change(format!("d{n}/x").as_bytes(), ChangeKind::Added, n, 0)).collect();
    let page = rendered(Format::Html, &verdict, None);
    assert!(page.contains("<title>700 smaller paths</title>"));
}

/// The colours of one theme by their names.
fn colours(theme: &str) -> std::collections::BTreeMap<&str, [f64; 3]> {
    let pairs = theme.split([';', '{', '}']).filter_map(|rule| rule.trim().strip_prefix("--")?.split_once(":#"));
    let part = |hex: &str, at: usize| f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
    pairs.map(|(name, hex)| (name, [part(hex, 0), part(hex, 2), part(hex, 4)])).collect()
}

/// The contrast of two colours as WCAG 2 has it.
fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let linear = |c: f64| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let light = |[r, g, b]: [f64; 3]| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_has_contrast_enough_in_both_themes() {
    let page = rendered(Format::Html, &accepted(), None);
    let style = page.split("<style>").nth(1).unwrap();
    let (light, rest) = style.split_once("@media (prefers-color-scheme:dark)").unwrap();
    for theme in [light, rest.split_once("}}").unwrap().0] {
        let colours = colours(theme);
        assert_eq!(colours.len(), 14);
        for (text, ground) in ["text", "soft", "good", "bad", "mark"]
            .iter()
            .flat_map(|text| [(text, "page"), (text, "card")])
            .chain(["tile", "added", "deleted", "outside", "card"].map(|ground| (&"ink", ground)))
        {
            let contrast = contrast(colours[*text], colours[ground]);
            assert!(contrast >= 4.5, "{text} on {ground}: {contrast}");
        }
        assert!(contrast(colours["fill"], colours["line"]) >= 3.0);
        assert!(contrast(colours["bad"], colours["line"]) >= 3.0);
    }
}
