//! The squarified treemap: rectangles whose areas are in proportion to weights, and as square as can be.
//!
//! The algorithm is that of Bruls, Huizing and van Wijk: rectangles are put in a row along the shorter side as long as the
//! worst of the row becomes more square by it.

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// The left side.
    pub x: f64,
    /// The upper side.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

impl Rect {
    /// The rectangle without a margin on each side, and without more at the top.
    pub fn inset(self, margin: f64, top: f64) -> Rect {
        Rect {
            x: self.x + margin,
            y: self.y + margin + top,
            width: (self.width - 2.0 * margin).max(0.0),
            height: (self.height - 2.0 * margin - top).max(0.0),
        }
    }

    fn area(self) -> f64 {
        self.width * self.height
    }
}

/// One rectangle for each weight, in their order; they fill `whole` without a gap and without an overlap. Weights are above
/// zero, the largest first.
pub fn squarified(weights: &[f64], whole: Rect) -> Vec<Rect> {
    let total: f64 = weights.iter().sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let scale = whole.area() / total;
    let areas: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let (mut out, mut rest, mut start) = (Vec::with_capacity(areas.len()), whole, 0);
    while start < areas.len() {
        let side = rest.width.min(rest.height);
        let mut end = start + 1;
        while end < areas.len() && worst(&areas[start..=end], side) <= worst(&areas[start..end], side) {
            end += 1;
        }
        rest = lay(&areas[start..end], rest, &mut out);
        start = end;
    }
    out
}

/// How far the least square rectangle of a row along `side` is from a square: the ratio of its longer side to the other.
fn worst(row: &[f64], side: f64) -> f64 {
    let sum: f64 = row.iter().sum();
    let depth = sum / side;
    row.iter().map(|area| area / depth).map(|length| (length / depth).max(depth / length)).fold(0.0, f64::max)
}

/// Puts a row along the shorter side of `rest`, and gives back what remains of it.
fn lay(row: &[f64], rest: Rect, out: &mut Vec<Rect>) -> Rect {
    let sum: f64 = row.iter().sum();
    let upright = rest.width >= rest.height;
    let side = if upright { rest.height } else { rest.width };
    let depth = if side > 0.0 { sum / side } else { 0.0 };
    let mut at = 0.0;
    for area in row {
        let length = if depth > 0.0 { area / depth } else { 0.0 };
        out.push(if upright {
            Rect { x: rest.x, y: rest.y + at, width: depth, height: length }
        } else {
            Rect { x: rest.x + at, y: rest.y, width: length, height: depth }
        });
        at += length;
    }
    if upright {
        Rect { x: rest.x + depth, width: (rest.width - depth).max(0.0), ..rest }
    } else {
        Rect { y: rest.y + depth, height: (rest.height - depth).max(0.0), ..rest }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WHOLE: Rect = Rect { x: 0.0, y: 0.0, width: 6.0, height: 4.0 };

    #[test]
    fn the_example_of_the_paper() {
        let rects = squarified(&[6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0], WHOLE);
        let sizes: Vec<(f64, f64)> = rects.iter().map(|rect| (rect.width, rect.height)).collect();
        for (at, expected) in
            [(0, (3.0, 2.0)), (1, (3.0, 2.0)), (2, (12.0 / 7.0, 7.0 / 3.0)), (3, (9.0 / 7.0, 7.0 / 3.0))]
        {
            assert!((sizes[at].0 - expected.0).abs() < 1e-9 && (sizes[at].1 - expected.1).abs() < 1e-9, "{sizes:?}");
        }
    }

    #[test]
    fn nothing_is_no_rectangle_and_one_is_all() {
        assert_eq!(squarified(&[], WHOLE), []);
        assert_eq!(squarified(&[7.0], WHOLE), [WHOLE]);
        assert_eq!(WHOLE.inset(1.0, 5.0), Rect { x: 1.0, y: 6.0, width: 4.0, height: 0.0 });
    }

    proptest! {
        #[test]
        fn rectangles_fill_the_whole_in_proportion_and_do_not_overlap(mut weights in prop::collection::vec(1_u32..1_000_000, 1..60)) {
            weights.sort_by(|a, b| b.cmp(a));
            let weights: Vec<f64> = weights.into_iter().map(f64::from).collect();
            let total: f64 = weights.iter().sum();
            let rects = squarified(&weights, WHOLE);
            prop_assert_eq!(rects.len(), weights.len());
            for (at, (rect, weight)) in rects.iter().zip(&weights).enumerate() {
                prop_assert!((rect.area() - weight / total * 24.0).abs() < 1e-6, "{rect:?}");
                prop_assert!(rect.x > -1e-6 && rect.y > -1e-6);
                prop_assert!(rect.x + rect.width < 6.0 + 1e-6 && rect.y + rect.height < 4.0 + 1e-6, "{rect:?}");
                for other in &rects[at + 1..] {
                    let wide = (rect.x + rect.width).min(other.x + other.width) - rect.x.max(other.x);
                    let high = (rect.y + rect.height).min(other.y + other.height) - rect.y.max(other.y);
                    prop_assert!(wide < 1e-6 || high < 1e-6, "{rect:?} {other:?}");
                }
            }
        }
    }
}
