import { expect, it } from 'vitest'
import { fromBase64Url, randomBytes } from './bytes'
import { Keyring } from './keyring'
import { SavedKeys } from './saved-keys'
import type { OwnEntry } from './vault'

/** The public key of a vault. */
const VAULT = 'vault'

/** What the owner of a beam has sealed to itself. */
function entryOf(ring: Keyring, vault = VAULT): OwnEntry {
  const state = ring.forVault(vault)
  if (!state) throw new Error('There are no keys.')
  // Its device knows from now on what names the beam there.
  ring.saved.areInVault({ vault, tag: state.tag })
  return { ...state, people: [], names: [] }
}

async function withLink(secret = randomBytes(32)): Promise<Keyring> {
  const ring = new Keyring()
  await ring.invite(secret)
  return ring
}

/** A later page with what this one keeps. */
async function reloaded({ kept }: Keyring): Promise<Keyring> {
  const ring = new Keyring()
  if (kept) await ring.restore(kept)
  return ring
}

const changesOf = ({ shared }: Keyring) => shared?.changes

it('e18_a_device_takes_from_its_own_vault_all_that_a_device_in_the_beam_would_tell', async () => {
  const laptop = await Keyring.make()
  await laptop.rekey([])
  const phone = new Keyring()
  expect(await phone.withdrawOwn(entryOf(laptop), VAULT)).toBe('all')
  expect(phone.shared).toEqual({ ...laptop.shared, hasLetIn: true })
  expect([phone.saved.isVaulted, phone.saved.isDeposited]).toEqual([true, false])
})

it('e18_a_device_that_was_away_seals_with_the_newer_key_of_its_own_vault', async () => {
  const laptop = await Keyring.make()
  const phone = new Keyring()
  await phone.withdrawOwn(entryOf(laptop), VAULT)
  await phone.rekey([])
  expect(await laptop.withdrawOwn(entryOf(phone), VAULT)).toBe('all')
  expect(laptop.shared?.current).toBe(phone.shared?.current)
})

it('e18_an_older_state_of_its_own_vault_takes_nothing_back', async () => {
  const laptop = await Keyring.make()
  const older = entryOf(laptop)
  await laptop.rekey([])
  const { current } = laptop.shared ?? {}
  await laptop.withdrawOwn(older, VAULT)
  expect(laptop.shared?.current).toBe(current)
})

it('e18_of_two_keys_that_were_made_at_once_all_devices_come_to_seal_with_the_same_one', async () => {
  const laptop = await Keyring.make()
  const phone = new Keyring()
  await phone.withdrawOwn(entryOf(laptop), VAULT)
  for (const ring of [laptop, phone, phone]) await ring.rekey([])
  await laptop.withdrawOwn(entryOf(phone), VAULT)
  expect(laptop.shared?.current).toBe(phone.shared?.current)
  expect(laptop.shared?.keys).toHaveLength(4)
})

it('e18_new_keys_of_a_device_that_has_them_from_a_deposit_count_before_those_that_were_deposited', async () => {
  for (let times = 0; times < 8; times += 1) {
    const laptop = await Keyring.make()
    await laptop.rekey([])
    const phone = new Keyring()
    const deposit = await laptop.deposit()
    if (deposit) await phone.withdraw(deposit)
    await phone.rekey([])
    await laptop.withdrawOwn(entryOf(phone), VAULT)
    expect([laptop.shared?.current, changesOf(laptop)]).toEqual([phone.shared?.current, changesOf(phone)])
  }
})

it('e18_a_device_that_came_by_a_link_takes_from_its_own_vault_only_what_is_of_that_link', async () => {
  const ada = await Keyring.make()
  const entry = entryOf(ada)
  const right = await withLink(fromBase64Url(entry.invite) ?? undefined)
  expect([await right.withdrawOwn(entry, VAULT), right.isKeyed]).toEqual(['all', true])
  const wrong = await withLink()
  expect([await wrong.withdrawOwn(entry, VAULT), wrong.isKeyed, wrong.saved.isVaulted]).toEqual([
    'nothing',
    false,
    false,
  ])
})

it('e18_what_lies_in_the_vault_for_another_beam_gives_a_device_no_key_to_seal_with', async () => {
  const [cabin, party] = [await Keyring.make(), await Keyring.make()]
  for (let times = 0; times < 3; times += 1) await party.rekey([])
  const other = entryOf(party)
  const before = cabin.shared
  expect(await cabin.withdrawOwn(other, VAULT)).toBe('nothing')
  expect(cabin.shared).toEqual(before)
  // Somebody in the other beam has put an older key of this one there.
  const mixed = { ...other, keys: [...(before?.keys ?? []), ...other.keys] }
  await cabin.rekey([])
  expect(await cabin.withdrawOwn(mixed, VAULT)).toBe('keys')
  // Once it is known what names the beam, not even that.
  entryOf(cabin)
  expect(await cabin.withdrawOwn(mixed, VAULT)).toBe('nothing')
  expect(await (await reloaded(cabin)).withdrawOwn(mixed, VAULT)).toBe('nothing')
})

it('e18_a_tag_names_a_beam_in_one_vault_alone_and_another_one_of_the_same_person_has_another', async () => {
  const [laptop, phone] = [await Keyring.make(), new Keyring()]
  await phone.withdrawOwn(entryOf(laptop), VAULT)
  const tablet = new Keyring()
  if (laptop.shared) await tablet.take(laptop.shared)
  const followed = entryOf(tablet, 'new vault')
  expect(await phone.withdrawOwn(followed, VAULT)).toBe('nothing')
  expect(await phone.withdrawOwn(followed, 'new vault')).toBe('all')
  expect((await reloaded(phone)).saved.tagIn('new vault')).toBe(followed.tag)
})

it('e18_a_device_whose_keys_are_in_its_own_vault_believes_so_also_where_it_takes_them_only_to_open_with', async () => {
  const laptop = await Keyring.make()
  const before = laptop.shared
  const phone = new Keyring()
  if (before) await phone.take(before)
  for (const ring of [laptop, phone, phone]) await ring.rekey([])
  expect(await laptop.withdrawOwn(entryOf(phone), VAULT)).toBe('keys')
  expect(laptop.saved.isVaulted).toBe(true)
})

it('e18_keys_of_another_account_let_no_device_in_that_came_by_a_link_they_do_not_follow_from', async () => {
  const { shared } = await Keyring.make()
  if (!shared) throw new Error('There are no keys.')
  const ring = await withLink()
  expect(await ring.withdrawHanded(shared)).toBe(false)
  expect([ring.isKeyed, ring.saved.isVaulted]).toEqual([false, false])
  expect(await new Keyring().withdrawHanded(shared)).toBe(true)
})

it('e18_a_device_that_is_in_believes_no_vault_that_the_server_has_no_keys', async () => {
  const { shared } = await Keyring.make()
  if (!shared) throw new Error('There are no keys.')
  const ring = await Keyring.make()
  ring.saved.stored(false)
  expect(await ring.withdrawHanded(shared)).toBe(true)
  expect([ring.saved.isVaulted, ring.saved.isDeposited]).toEqual([false, true])
})

it('e18_who_knows_of_no_vaults_does_not_say_that_the_server_has_the_keys', () => {
  const saved = new SavedKeys()
  saved.stored(true)
  saved.forOwnVault(true)
  saved.learn({ isDeposited: true }, true, false)
  expect(saved.isDeposited).toBe(false)
  saved.learn({ isDeposited: true, isVaulted: true }, true, false)
  expect(saved.isDeposited).toBe(true)
})

it('e18_the_key_that_seals_is_exposed_from_a_deposit_on_until_another_takes_its_place', async () => {
  const laptop = await Keyring.make()
  laptop.saved.stored(true)
  laptop.saved.areDeposited()
  laptop.saved.forOwnVault(true)
  const later = await reloaded(laptop)
  expect([laptop.saved.isExposed, later.saved.isExposed, laptop.saved.isVaulted]).toEqual([true, true, false])
  await laptop.rekey([])
  expect([laptop.saved.isExposed, laptop.saved.isVaulted, laptop.saved.isDeposited]).toEqual([
    false,
    true,
    true,
  ])
  // Who was handed it knows as much.
  if (laptop.shared) await later.take(laptop.shared)
  expect([later.saved.isExposed, later.saved.isVaulted]).toEqual([false, true])
})

it('e18_a_newer_key_is_exposed_that_comes_from_who_does_not_know_of_the_vaults', async () => {
  const laptop = await Keyring.make()
  entryOf(laptop)
  const guest = new Keyring()
  if (laptop.shared) await guest.take({ ...laptop.shared, isVaulted: undefined })
  await guest.rekey([])
  guest.saved.areDeposited()
  if (guest.shared) await laptop.take(guest.shared)
  expect([laptop.saved.isVaulted, laptop.saved.isExposed]).toEqual([true, true])
})

it('e18_a_later_page_knows_what_an_earlier_one_did', () => {
  const [before, after] = [new SavedKeys(), new SavedKeys()]
  before.stored(true)
  before.areDeposited()
  before.areInVault({ vault: VAULT, tag: 'tag' })
  before.haveEnded(['end'])
  after.restore(before.kept)
  expect({ ...after.kept, isExposed: true }).toEqual(before.kept)
  expect([after.isDeposited, after.isVaulted, after.deposits]).toEqual([true, true, true])
  expect([after.tagIn(VAULT), after.ends]).toEqual(['tag', ['end']])
})

it('e18_a_later_page_knows_who_has_saved_the_beam_and_one_that_was_not_told_takes_it_for_anybody', () => {
  const [before, after, untold] = [new SavedKeys(), new SavedKeys(), new SavedKeys()]
  before.stored(true, 'ada')
  after.restore(before.kept)
  untold.restore({ ...before.kept, savedBy: undefined })
  expect([after.isSavedBy('ada'), after.isSavedBy('bob'), untold.isSavedBy('bob')]).toEqual([
    true,
    false,
    true,
  ])
})

it('e15_who_was_told_that_keys_are_in_vaults_believes_of_no_other_device_that_they_were_deposited', () => {
  const saved = new SavedKeys()
  saved.areInVault(null)
  expect([saved.hears(true), saved.isDeposited]).toEqual([false, false])
})

it('e15_keys_that_were_deposited_by_another_device_are_changed_before_they_go_into_a_vault', () => {
  const saved = new SavedKeys()
  expect([saved.hears(true), saved.hears(true)]).toEqual([true, false])
  expect([saved.isDeposited, saved.isExposed]).toEqual([true, true])
})

it('e15_a_device_that_has_only_not_heard_of_vaults_does_not_say_that_keys_were_deposited', () => {
  const saved = new SavedKeys()
  saved.stored(false)
  expect([saved.isDeposited, saved.wereDeposited]).toEqual([true, false])
})
