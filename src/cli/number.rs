//! Whole numbers with a range, refused in one sentence that names the option and the range.

use std::ops::RangeInclusive;

/// A parser for the value of `option`, which must be in `range`.
pub fn whole(
    option: &'static str,
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse::<u64>() {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => Err(format!("{option} takes a whole number {}, got {text}", span(&range, text))),
    }
}

/// A parser for the value of `option`, which must be a number greater than zero that is not endless.
pub fn positive(option: &'static str) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number > 0.0 => Ok(number),
        _ => Err(format!("{option} takes a number greater than 0, got {text}")),
    }
}

/// The range in words; the largest number that there is only where the one that was given is larger.
fn span(range: &RangeInclusive<u64>, text: &str) -> String {
    let too_large = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match *range.end() {
        u64::MAX if !too_large => format!("from {}", range.start()),
        end => format!("from {} to {end}", range.start()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_names_the_option_and_the_range() {
        let files = whole("--max-files", 0..=u64::MAX);
        assert_eq!((files("0"), files("18446744073709551615")), (Ok(0), Ok(u64::MAX)));
        let from = "--max-files takes a whole number from 0";
        for text in ["-1", "1.5", "x", "", "1e3"] {
            assert_eq!(files(text), Err(format!("{from}, got {text}")));
        }
        let large = "18446744073709551616";
        assert_eq!(files(large), Err(format!("{from} to 18446744073709551615, got {large}")));
        let timeout = whole("--verify-timeout", 1..=86_400);
        assert_eq!(timeout("0"), Err("--verify-timeout takes a whole number from 1 to 86400, got 0".into()));
    }

    #[test]
    fn an_amount_is_positive_and_finite() {
        let amount = positive("--max-budget-usd");
        assert_eq!((amount("2"), amount("0.01")), (Ok(2.0), Ok(0.01)));
        for text in ["0", "-1", "inf", "NaN", "1e999", "", "two", "-0.0"] {
            assert_eq!(amount(text), Err(format!("--max-budget-usd takes a number greater than 0, got {text}")));
        }
    }
}
