//! What every check leaves in `.stone/`, read by the older `stone` as it is.

mod effects;
mod older;
mod refusals;
mod trail;
