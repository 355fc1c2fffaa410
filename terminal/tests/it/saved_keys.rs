//! The keys of a saved beam are changed while a terminal is in it, or between two of its runs.

use crate::people::{PASSWORD, Person};
use crate::server::Server;

#[test]
fn s38_keys_that_were_changed_by_nobody_in_the_beam_are_taken_from_the_vault_as_soon_as_it_is_told()
{
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    let (id, _) = ada.saves("Kitchen", "oat milk", PASSWORD);
    ada.logs_in(PASSWORD).is(0, "");
    let mut join = ada.runs(&["join", "Kitchen", "--json"]).starts();
    join.prints("oat milk");
    let renewed = ada.rekeys(id, PASSWORD);
    ada.shares(id, renewed, "and bread");
    join.prints("and bread");
    join.types("two lemons");
    join.event("shared");
    assert_eq!(ada.runs(&["paste", "Kitchen"]).ends().text(), "two lemons");
}

#[test]
fn a_folder_is_kept_in_step_with_a_saved_beam_by_its_name_also_when_its_keys_have_changed_between_two_runs()
 {
    let server = Server::start();
    let ada = Person::registers(&server, "ada").has_vault(7);
    let (id, _) = ada.saves("Kitchen", "oat milk", PASSWORD);
    let folder = ada.home.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let words = ["watch", folder.to_str().unwrap(), "--to", "kitchen", "--json", "--no-direct"];
    let words = [&words[..], &["--settle", "0.2", "--texts"]].concat();
    ada.runs(&words).ends().is(4, "`login`");
    ada.logs_in(PASSWORD).is(0, "");
    let mut watch = ada.runs(&words).starts();
    watch.event("received");
    std::fs::write(folder.join("a.bin"), "bytes").unwrap();
    watch.event("shared");
    watch.is_killed();

    let renewed = ada.rekeys(id, PASSWORD);
    ada.shares(id, renewed, "and bread");
    let watch = ada.runs(&words).starts();
    let path = watch.event("received")["paths"][0].as_str().unwrap().to_owned();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "and bread");
    ada.runs(&["logout"]).ends().is(0, "");
    watch.says("The login has ended");
}
