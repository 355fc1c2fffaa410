//! What people compare (E8): says it, asks this program's person, and hears the answer.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use heliograph_device::keys::signs::Signs;
use heliograph_device::session::Input;
use heliograph_device::session::trust::{Trust, TrustBook, TrustState, TurnedAway};
use heliograph_shared::ids::DeviceId;
use tokio::sync::mpsc;

use super::asking::{self, Answer};
use crate::exit::{Exit, Stop};
use crate::people::People;
use crate::pictures::{as_json, pictures_line, state_of};
use crate::safe;
use crate::voice::{Event, Voice};

/// Who says whether two devices show the same pictures.
#[derive(Clone, Debug)]
pub enum AnsweredBy {
    /// Whoever types the lines that the command reads: `/match` and `/refuse`.
    Lines,
    /// A program, by its exit code.
    Program(PathBuf),
    /// Whoever is at the terminal, where there is one.
    Terminal,
}

/// How pictures are compared.
pub struct Comparing {
    voice: Voice,
    by: AnsweredBy,
    /// Whether nothing is sent or taken before all that can be compared was.
    verifies: bool,
    /// What is asked for at the moment.
    question: Option<Question>,
    /// Whether the answer of a terminal or a program is still to come, perhaps to an earlier question.
    is_asking: bool,
    answer: mpsc::UnboundedSender<Answer>,
    answers: mpsc::UnboundedReceiver<Answer>,
    /// What was said last of each device.
    said: BTreeMap<DeviceId, Trust>,
}

/// Whether a device shows these pictures too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Question {
    device: DeviceId,
    signs: Signs,
    /// Whether the device waits to be let in.
    waits: bool,
}

impl Comparing {
    /// So.
    #[must_use]
    pub fn new(voice: Voice, by: AnsweredBy, verifies: bool) -> Self {
        let (answer, answers) = mpsc::unbounded_channel();
        let (question, is_asking, said) = (None, false, BTreeMap::new());
        Self { voice, by, verifies, question, is_asking, answer, answers, said }
    }

    /// Whether nothing is sent or taken before all that can be compared was.
    #[must_use]
    pub const fn verifies(&self) -> bool {
        self.verifies
    }

    /// Tells the person something aside.
    pub(super) fn hint(&self, text: &str) {
        self.voice.hint(text);
    }

    /// Whether a device is in that nobody has compared, or whose comparison was not said yet.
    pub(super) fn lacks(&self, book: &TrustBook) -> bool {
        let is_unverified = |trust: &Trust| trust.state == TrustState::Unverified && trust.is_in;
        book.devices().any(|(_, trust)| is_unverified(trust))
            || self.said.values().any(is_unverified)
    }

    /// What is known of a device has changed.
    pub(super) fn hears(
        &mut self,
        people: &People,
        device: DeviceId,
        trust: Option<&Trust>,
        turned_away: Option<TurnedAway>,
    ) -> io::Result<()> {
        let name = people.name(device);
        self.voice.event(&event(device, name, trust, turned_away))?;
        let name = safe::line(name);
        match turned_away {
            Some(TurnedAway::Person) => {
                self.voice.hint(&format!("{name} does not let this device in."));
            }
            Some(TurnedAway::Locked) => self.voice.hint(&format!(
                "{name} was asked too often by devices without the link. It is asked again within ten minutes."
            )),
            None => {}
        }
        let Some(trust) = trust else {
            if self.said.remove(&device).is_some_and(|said| said.state == TrustState::Asking) {
                self.voice.hint(&format!("{name} waits no more."));
            }
            return Ok(());
        };
        if self.said.insert(device, *trust).as_ref() == Some(trust) {
            return Ok(());
        }
        let says = match (trust.state, trust.signs) {
            (TrustState::Verified, _) if trust.is_in => {
                self.voice.hint(&format!("{name} is verified."));
                return Ok(());
            }
            (TrustState::Verified | TrustState::Refused, _) => return Ok(()),
            (TrustState::Asking, _) => {
                format!("{name} wants to come in without the link. This device shows for it:")
            }
            (TrustState::Unverified, None) => {
                format!("{name} is not verified: nobody has compared it.")
            }
            (TrustState::Unverified, Some(_)) if trust.is_in => {
                format!(
                    "{name} is not verified. If it is the right device, it shows the same pictures as this one:"
                )
            }
            (TrustState::Unverified, Some(_)) => {
                format!(
                    "Compare these pictures with those on {name}. A person there lets this device in."
                )
            }
        };
        self.voice.tell(&says)?;
        trust.signs.map_or(Ok(()), |signs| self.voice.tell(&pictures_line(signs)))
    }

    /// A device that was compared has another key.
    pub(super) fn hears_other_key(&self, people: &People, device: DeviceId) -> io::Result<()> {
        let name = people.name(device);
        self.voice.event(&Event::OtherKey { device, name })?;
        let name = safe::line(name);
        self.voice.tell(&format!(
            "{name} has another key than when it was compared: it may be another device. It is not verified any more."
        ))
    }

    /// So many items are missing that other devices were given.
    pub(super) fn hears_missing(&self, count: usize) -> io::Result<()> {
        self.voice.event(&Event::Missing { count })?;
        let missing = match count {
            0 => return self.voice.tell("Nothing is missing any more."),
            1 => "1 item is missing".to_owned(),
            many => format!("{many} items are missing"),
        };
        let asks =
            if matches!(self.by, AnsweredBy::Lines) { " /again asks once more." } else { "" };
        self.voice.tell(&format!(
            "{missing}: the server gave other devices items, or newer versions of items, that it has not given to this one.{asks}"
        ))
    }

    /// Asks what is to be asked next, where nothing else is asked. `is_in`: whether this device has the keys; else only others can compare.
    pub(super) fn look(
        &mut self,
        people: &People,
        book: &TrustBook,
        is_in: bool,
    ) -> io::Result<()> {
        let next = if is_in { self.next_question(book) } else { None };
        if next == self.question || self.is_asking {
            return Ok(());
        }
        self.question = next;
        let Some(question) = next else { return Ok(()) };
        let name = people.name(question.device);
        match &self.by {
            AnsweredBy::Lines => {
                let otherwise = if question.waits { ", else /refuse" } else { "" };
                let name = safe::line(name);
                self.voice.tell(&format!("If {name} shows the same four, type /match{otherwise}."))
            }
            AnsweredBy::Program(program) => {
                self.is_asking = true;
                asking::program(program.clone(), name, question.signs, self.answer.clone());
                Ok(())
            }
            // Whoever reads JSON looks at no terminal.
            AnsweredBy::Terminal if self.voice.is_json() => Ok(()),
            AnsweredBy::Terminal => {
                let name = safe::line(name);
                let text = format!("Does {name} show the same four pictures? [y/n] ");
                self.is_asking = asking::terminal(text, self.answer.clone());
                Ok(())
            }
        }
    }

    fn next_question(&self, book: &TrustBook) -> Option<Question> {
        let asks_all = self.verifies || matches!(self.by, AnsweredBy::Lines);
        let questions = book.devices().filter_map(|(device, trust)| {
            let waits = trust.state == TrustState::Asking;
            let is_open = trust.state == TrustState::Unverified && trust.is_in && asks_all;
            let signs = trust.signs.filter(|_| waits || is_open)?;
            Some(Question { device, signs, waits })
        });
        let all: Vec<_> = questions.collect();
        // What is asked stays asked as long as it can be answered.
        let same = self.question.filter(|question| all.contains(question));
        same.or_else(|| all.first().copied())
    }

    /// Whether something is asked.
    pub(super) const fn is_asked(&self) -> bool {
        self.question.is_some()
    }

    /// Waits for an answer of the terminal or of a program.
    pub(super) async fn next_answer(&mut self) -> Answer {
        match self.answers.recv().await {
            Some(answer) => answer,
            None => std::future::pending().await,
        }
    }

    /// Takes the answer to what is asked. `None` where nothing is.
    ///
    /// # Errors
    /// [`Exit::NotVerified`] where the pictures differ of a device that is in, and everything waits for them.
    pub(super) fn answered(&mut self, answer: Answer) -> Result<Option<Input>, Stop> {
        self.is_asking = false;
        // What was not understood is not asked again by itself.
        let asked = if answer == Answer::Nothing { None } else { self.question.take() };
        let Some(Question { device, signs, waits }) = asked else { return Ok(None) };
        match answer {
            Answer::Same => Ok(Some(Input::Confirm { device, signs })),
            Answer::Differs if waits => Ok(Some(Input::Refuse(device))),
            Answer::Differs => {
                let why = "The pictures differ: somebody in between may read this beam.";
                if self.verifies {
                    return Err(Stop::new(Exit::NotVerified, why));
                }
                self.voice.hint(&format!("{why} Leave it."));
                Ok(None)
            }
            Answer::Nothing => Ok(None),
        }
    }
}

/// What is known of a device, or why it turns this one away, as JSON has it.
fn event<'a>(
    device: DeviceId,
    name: &'a str,
    trust: Option<&Trust>,
    turned_away: Option<TurnedAway>,
) -> Event<'a> {
    let pictures = trust.and_then(|trust| trust.signs).map(as_json);
    let turned_away = turned_away.map(|why| match why {
        TurnedAway::Person => "person",
        TurnedAway::Locked => "locked",
    });
    let is_in = trust.is_some_and(|trust| trust.is_in);
    let trust = trust.map(|trust| state_of(trust.state));
    Event::Compared { device, name, trust, is_in, pictures, turned_away }
}
