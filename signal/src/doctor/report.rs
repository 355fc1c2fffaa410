//! What was found: a list of checks, each of which says what to do.

use serde::Serialize;
use serde_json::json;

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Ok,
    /// It works, but not for everybody or not for long.
    Warning,
    /// It does not work.
    Failed,
    /// It was not looked at.
    Skipped,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it is.
    pub state: State,
    /// What was seen, or why nothing was looked at.
    pub seen: String,
    /// One sentence on what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Check {
    /// All is well.
    #[must_use]
    pub fn ok(name: &'static str, seen: impl Into<String>) -> Self {
        Self { name, state: State::Ok, seen: seen.into(), advice: None }
    }

    /// It works, but something should be done.
    #[must_use]
    pub fn warning(name: &'static str, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Warning, seen: seen.into(), advice: Some(advice.into()) }
    }

    /// It does not work.
    #[must_use]
    pub fn failed(name: &'static str, seen: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { name, state: State::Failed, seen: seen.into(), advice: Some(advice.into()) }
    }

    /// It was not looked at.
    #[must_use]
    pub fn skipped(name: &'static str, why: impl Into<String>) -> Self {
        Self { name, state: State::Skipped, seen: why.into(), advice: None }
    }
}

/// Everything that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// In the order in which it was looked at.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether something does not work.
    #[must_use]
    pub fn has_failures(&self) -> bool {
        self.checks.iter().any(|check| check.state == State::Failed)
    }

    /// A line for each check, and a second one with what to do.
    #[must_use]
    pub fn text(&self) -> String {
        let width = self.checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
        let mut lines = Vec::new();
        for Check { name, state, seen, advice } in &self.checks {
            let state = match state {
                State::Ok => "ok",
                State::Warning => "warning",
                State::Failed => "FAILED",
                State::Skipped => "skipped",
            };
            lines.push(format!("{state:<8} {name:<width$}  {seen}"));
            lines.extend(advice.iter().map(|advice| format!("{:<8} -> {advice}", "")));
        }
        let count = |state| self.checks.iter().filter(|check| check.state == state).count();
        let (failed, warnings) = (count(State::Failed), count(State::Warning));
        lines.push(match (failed, warnings) {
            (0, 0) => "Everything works.".to_owned(),
            (0, _) => format!("Everything works. Warnings: {warnings}."),
            _ => format!("Failed: {failed}. Warnings: {warnings}."),
        });
        lines.join("\n")
    }

    /// The same for programs.
    #[must_use]
    pub fn json(&self) -> String {
        let is_well = !self.has_failures();
        format!("{:#}", json!({ "ok": is_well, "checks": self.checks }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_was_found_and_what_to_do() {
        let mut report = Report { checks: vec![Check::ok("database", "It opens.")] };
        assert_eq!(report.text(), "ok       database  It opens.\nEverything works.");
        report.checks.push(Check::warning("disk", "It is full to 79 %.", "Make room."));
        assert!(!report.has_failures());
        report.checks.push(Check::failed("port", "Taken.", "Take another one."));
        assert!(report.has_failures());
        assert!(report.text().ends_with(
            "FAILED   port      Taken.\n         -> Take another one.\nFailed: 1. Warnings: 1."
        ));
        let json: serde_json::Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(json["ok"], false);
        assert_eq!(json["checks"][0]["state"], "ok");
        assert_eq!(json["checks"][2]["advice"], "Take another one.");
    }
}
