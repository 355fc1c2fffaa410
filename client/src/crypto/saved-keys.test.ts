import { expect, it } from 'vitest'
import { randomBytes } from './bytes'
import { Keyring } from './keyring'
import { SavedKeys } from './saved-keys'

/** The keys of a beam of somebody, as they lie in a vault. */
async function vaulted(isOwn: boolean, isDeposited = false) {
  const shared = (await Keyring.make()).shared
  if (!shared) throw new Error('There are no keys.')
  return { keys: shared.keys, current: shared.current, isDeposited, isOwn }
}

async function withLink(): Promise<Keyring> {
  const ring = new Keyring()
  await ring.invite(randomBytes(32))
  return ring
}

it('e18_a_device_takes_from_a_vault_what_its_person_has_sealed_whatever_link_it_came_by', async () => {
  const ring = await withLink()
  expect(await ring.withdrawVaulted(await vaulted(true))).toBe(true)
  expect([ring.isKeyed, ring.saved.isVaulted, ring.saved.isDeposited]).toEqual([true, true, false])
})

it('e18_keys_of_another_account_let_no_device_in_that_came_by_a_link_they_do_not_follow_from', async () => {
  const ring = await withLink()
  expect(await ring.withdrawVaulted(await vaulted(false))).toBe(false)
  expect([ring.isKeyed, ring.saved.isVaulted]).toEqual([false, false])
  expect(await new Keyring().withdrawVaulted(await vaulted(false))).toBe(true)
})

it('e18_a_device_that_is_in_believes_no_vault_that_the_server_has_no_keys', async () => {
  const ring = await Keyring.make()
  ring.saved.stored(false, false)
  expect(await ring.withdrawVaulted(await vaulted(false))).toBe(true)
  expect([ring.saved.isVaulted, ring.saved.isDeposited]).toEqual([false, true])
})

it('e18_who_knows_of_no_vaults_does_not_say_that_the_server_has_the_keys', () => {
  const saved = new SavedKeys()
  saved.stored(true, true)
  saved.learn({ isDeposited: true }, true)
  expect(saved.isDeposited).toBe(false)
  saved.learn({ isDeposited: true, isVaulted: true }, true)
  expect(saved.isDeposited).toBe(true)
})

it('e18_a_later_page_knows_what_an_earlier_one_did', () => {
  const [before, after] = [new SavedKeys(), new SavedKeys()]
  before.stored(true, true)
  before.wentTo('server')
  after.restore(before.kept)
  expect(after.kept).toEqual(before.kept)
  expect([after.isDeposited, after.isVaulted, after.deposits]).toEqual([true, true, true])
})
