//! The messages by which a device asks others whether items were deleted of which only the server says so (E4). They travel as sealed
//! signals.

use heliograph_shared::ids::ItemId;
use heliograph_shared::json::Json;
use serde::{Deserialize, Serialize};

use super::outbox::json;
use crate::bounded_json::Bounded;

/// Most items of one question: more than the server deletes at once (S28).
const MOST_ASKED: usize = 1_000;

#[derive(Deserialize)]
struct Question {
    ask: String,
    round: i64,
    ids: Bounded<ItemId, MOST_ASKED>,
}

#[derive(Serialize)]
struct Answer {
    have: &'static str,
    round: i64,
    ids: Vec<ItemId>,
}

/// The answer to a question about deletions; `None` for any other signal.
pub(super) fn answer(signal: &Json, is_deleted: impl Fn(ItemId) -> bool) -> Option<Json> {
    let question: Question = serde_json::from_str(signal.get()).ok()?;
    if question.ask != "deleted" {
        return None;
    }
    let ids = question.ids.0.into_iter().filter(|id| is_deleted(*id)).collect();
    json(&Answer { have: "deleted", round: question.round, ids })
}
