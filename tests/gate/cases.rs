//! What happened to real people, told again in small: each test names the trick and expects the right verdict.

mod accepted;
mod hidden;
mod rejected;
