//! Faults on the way to a device, for the control run: a checker that finds nothing there is no checker.

use serde_json::Value;

use super::plan::Planted;

/// Items of other devices that pass before the fault.
const AFTER: u32 = 5;

/// Changes one message on its way to a device.
#[derive(Debug)]
pub struct Filter {
    planted: Planted,
    /// The device, whose own items pass.
    own: String,
    passed: u32,
    held: Option<String>,
    is_done: bool,
}

impl Filter {
    pub fn new(planted: Planted, own: &str) -> Self {
        Self { planted, own: own.to_owned(), passed: 0, held: None, is_done: false }
    }

    /// What the device gets instead of a message, in order.
    pub fn pass(&mut self, text: &str) -> Vec<String> {
        let whole = || vec![text.to_owned()];
        if self.is_done {
            return whole();
        }
        let Ok(mut value) = serde_json::from_str::<Value>(text) else { return whole() };
        if self.planted == Planted::Forgotten {
            return self.forget(value).map_or_else(whole, |page| vec![page]);
        }
        // Its own items it may be told of again (S9).
        if value["type"] != "rec_clipboard" || value["from"] == *self.own {
            return self.held.take().into_iter().chain(whole()).collect();
        }
        self.passed += 1;
        if self.passed < AFTER {
            return whole();
        }
        self.is_done = self.planted != Planted::Swapped || self.held.is_some();
        match self.planted {
            Planted::Lost | Planted::Forgotten => Vec::new(),
            Planted::Doubled => vec![text.to_owned(); 2],
            Planted::Altered => {
                value["message"] = "something else".into();
                vec![value.to_string()]
            }
            Planted::Swapped => {
                let held = self.held.replace(text.to_owned());
                held.map_or_else(Vec::new, |held| vec![text.to_owned(), held])
            }
        }
    }

    /// A page without its middle item.
    fn forget(&mut self, mut value: Value) -> Option<String> {
        let items = value.pointer_mut("/message/items")?.as_array_mut()?;
        if items.len() < 3 {
            return None;
        }
        items.remove(items.len() / 2);
        self.is_done = true;
        Some(value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn item(number: u32, from: &str) -> String {
        json!({"type": "rec_clipboard", "message": number, "from": from}).to_string()
    }

    /// The numbers that come through, of ten items with one of the device's own among them.
    fn numbers(planted: Planted) -> Vec<Value> {
        let mut filter = Filter::new(planted, "me");
        let mut items: Vec<_> = (1..=9).map(|number| item(number, "other")).collect();
        items.insert(3, item(0, "me"));
        let passed: Vec<_> = items.iter().flat_map(|item| filter.pass(item)).collect();
        assert!(filter.is_done);
        let read = |text: &String| serde_json::from_str::<Value>(text).unwrap()["message"].take();
        passed.iter().map(read).collect()
    }

    #[test]
    fn it_does_what_it_is_told_once() {
        assert_eq!(numbers(Planted::Lost), [1, 2, 3, 0, 4, 6, 7, 8, 9]);
        assert_eq!(numbers(Planted::Doubled), [1, 2, 3, 0, 4, 5, 5, 6, 7, 8, 9]);
        assert_eq!(numbers(Planted::Swapped), [1, 2, 3, 0, 4, 6, 5, 7, 8, 9]);
        assert_eq!(numbers(Planted::Altered)[5], "something else");
    }

    #[test]
    fn it_leaves_an_item_out_of_a_page() {
        let page = |items: &[u32]| json!({"type": "sync", "message": {"items": items}}).to_string();
        let mut filter = Filter::new(Planted::Forgotten, "me");
        assert_eq!(filter.pass(&page(&[1, 2])), [page(&[1, 2])]);
        assert_eq!(filter.pass(&page(&[1, 2, 3])), [page(&[1, 3])]);
        assert!(filter.is_done);
    }
}
