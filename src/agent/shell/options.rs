//! The words behind a program's name, told apart into options and operands.

use super::word::Word;

/// How a program writes its options.
#[derive(Debug, Clone, Copy, Default)]
pub struct Form {
    /// Letters whose value is the rest of the word, or the next word.
    pub valued: &'static str,
    /// Letters whose value, if any, is the rest of the word.
    pub attached: &'static str,
    /// Long options whose value is the next word unless an equals sign brings it.
    pub long: &'static [&'static str],
    /// Whether options end at the first operand.
    pub leading: bool,
}

/// The words, told apart.
#[derive(Debug, Default)]
pub struct Parsed<'a> {
    options: Vec<(String, Option<Word>)>,
    /// Everything that is no option.
    pub operands: Vec<&'a Word>,
    /// How many words stand before the first operand.
    pub taken: usize,
}

impl Parsed<'_> {
    /// Whether one of these options is given: a letter, or a long name.
    pub fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(option, _)| names.contains(&option.as_str()))
    }

    /// The value of the last of these options.
    pub fn value(&self, names: &[&str]) -> Option<&Word> {
        self.options.iter().rev().find(|(option, _)| names.contains(&option.as_str()))?.1.as_ref()
    }
}

/// Tells words apart.
pub fn parse<'a>(words: &'a [Word], form: &Form) -> Parsed<'a> {
    let mut parsed = Parsed::default();
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        at += 1;
        let text = word.known().unwrap_or("");
        match text {
            "--" => {
                parsed.operands.extend(&words[at..]);
                parsed.taken = if parsed.taken == 0 { at } else { parsed.taken };
                break;
            }
            _ if text.starts_with("--") => {
                let (name, value) = match text[2..].split_once('=') {
                    Some((name, value)) => (name, Some(text_word(value))),
                    None if form.long.contains(&&text[2..]) => {
                        at += 1;
                        (&text[2..], words.get(at - 1).cloned())
                    }
                    None => (&text[2..], None),
                };
                parsed.options.push((name.to_owned(), value));
            }
            _ if text.len() > 1 && text.starts_with('-') => at += cluster(&text[1..], words.get(at), form, &mut parsed),
            _ => {
                if parsed.operands.is_empty() {
                    parsed.taken = at - 1;
                }
                if form.leading {
                    parsed.operands.extend(&words[at - 1..]);
                    return parsed;
                }
                parsed.operands.push(word);
            }
        }
    }
    if parsed.operands.is_empty() {
        parsed.taken = words.len();
    }
    parsed
}

/// Letters in one word; says how many further words belong to them.
fn cluster(letters: &str, next: Option<&Word>, form: &Form, parsed: &mut Parsed<'_>) -> usize {
    for (at, letter) in letters.char_indices() {
        let rest = &letters[at + letter.len_utf8()..];
        if form.attached.contains(letter) {
            parsed.options.push((letter.to_string(), Some(text_word(rest))));
            return 0;
        }
        if form.valued.contains(letter) {
            let value = if rest.is_empty() { next.cloned() } else { Some(text_word(rest)) };
            parsed.options.push((letter.to_string(), value));
            return usize::from(rest.is_empty());
        }
        parsed.options.push((letter.to_string(), None));
    }
    0
}

fn text_word(text: &str) -> Word {
    Word { text: text.to_owned(), known: true, ..Word::default() }
}
