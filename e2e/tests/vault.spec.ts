/** Saved beams whose keys the server cannot read: they are in the vaults of their people (E16 to E18). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import { hasAccount, opensBeams, opensSharing, savesBeam, sharesBeam } from '../support/account.ts'
import { Marks } from '../support/canary.ts'
import type { Device } from '../support/device.ts'
import { Overheard } from '../support/sealing.ts'
import { type CallDevice, test } from '../support/stage.ts'
import { changesPassword, isLoggedIn, logsIn, recovers, SECRET, SLOW, setsUpVault } from '../support/vault.ts'

const BINARY = process.env.HELIOGRAPH_BINARY ?? ''
const MARK = 'medlar-sierra-8830-godwit'

// Several times in each test a key is made of a password.
test.setTimeout(120_000)

/** A person with a vault, who has saved a beam. */
async function hasSaved(device: CallDevice, name: string) {
  const laptop = await device(name)
  await laptop.opensHome()
  const username = await hasAccount(laptop)
  const words = await setsUpVault(laptop)
  return { laptop, username, words, link: await savesCabin(laptop) }
}

/** Saves a beam. Its keys come into the vault a moment later. */
async function savesCabin(device: Device): Promise<string> {
  const link = await savesBeam(device, 'Cabin', MARK)
  await expect.poll(() => isInVault(device, link), SLOW).toBe(true)
  return link
}

const badge = ({ page }: { page: Page }) =>
  page.getByText('Readable only by you and those you shared it with', { exact: true })

const idIn = (link: string) => /beam_id=([0-9a-f-]{36})/.exec(link)?.[1] ?? ''

/** Returns whether the keys of a beam are in the vault of the person at this device. */
async function isInVault({ context, origin }: Device, link: string): Promise<boolean> {
  const answer = await context.request.get(`${origin}/api/beams/${idIn(link)}/vault/`)
  return (await answer.json()).keys !== null
}

/** Returns how many keys of a beam the server has as they are. */
async function depositOf({ context, origin }: Device, link: string): Promise<number> {
  const answer = await context.request.get(`${origin}/api/beams/${idIn(link)}/keys/`)
  return (await answer.json()).keys.length
}

/** Opens the beam from My Beams: without the secret of its link. */
async function opensCabin(device: Device): Promise<void> {
  await opensBeams(device)
  await expect(badge(device)).toBeVisible()
  await device.card('Cabin').first().getByRole('link', { name: 'Open Beam' }).click()
  await device.sees(MARK)
}

test('e18 a saved beam is opened on another device by the password, and the server knows neither it nor the keys', {
  tag: '@everywhere',
}, async ({ device, server }) => {
  const laptop = await device('laptop')
  const overheard = new Overheard(laptop.page)
  await laptop.opensHome()
  const username = await hasAccount(laptop)
  await setsUpVault(laptop)
  const link = await savesCabin(laptop)
  await opensBeams(laptop)
  await expect(badge(laptop)).toBeVisible()
  expect(await depositOf(laptop, link)).toBe(0)
  await laptop.leaves()
  const other = await device('other')
  const heardToo = new Overheard(other.page)
  await logsIn(other, username, SECRET)
  await isLoggedIn(other)
  await opensCabin(other)
  for (const heard of [overheard, heardToo]) heard.knowsNothingOf(SECRET, MARK)
  const traffic = [overheard, heardToo].flatMap(({ said }) => said)
  expect([...(await new Marks({ password: SECRET, text: MARK }).within(server, null, traffic))]).toEqual([])
})

test('e17 a new password opens the vault, and the old one does not', async ({ device }) => {
  const { laptop, username } = await hasSaved(device, 'laptop')
  await changesPassword(laptop, SECRET, 'another-secret-5521')
  const other = await device('other')
  await logsIn(other, username, SECRET)
  await expect(other.page.getByText('Invalid credentials').first()).toBeVisible(SLOW)
  await logsIn(other, username, 'another-secret-5521')
  await isLoggedIn(other)
  await opensCabin(other)
})

test('e17 the recovery words open the vault once the operator has given a new password', async ({
  device,
  server,
}) => {
  const { laptop, username, words } = await hasSaved(device, 'laptop')
  const reset = ['user', 'reset-password', username, '--data', server.data]
  const { stdout } = await promisify(execFile)(BINARY, reset)
  const [, given = ''] = /The new password of \S+: (\S+)/.exec(stdout) ?? []
  expect(given).not.toBe('')
  // The device that knows of the vault sends no password as it is typed, unless its person says that it is the operator's.
  await logsIn(laptop, username, SECRET)
  await expect(laptop.page.getByText(/this account has no vault, but it had one/).first()).toBeVisible(SLOW)
  await laptop.page.getByLabel('Password', { exact: true }).fill(given)
  await laptop.page.getByLabel('The operator has given me this password').check()
  await laptop.page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await isLoggedIn(laptop)
  await laptop.leaves()

  const other = await device('other')
  await logsIn(other, username, given)
  await isLoggedIn(other)
  await recovers(other, words, given, 'a-third-secret-9914')
  await opensCabin(other)
})

test('e18 a person with a vault opens a beam that is shared with them, and both see the same fingerprint', async ({
  device,
}) => {
  const { laptop: ada } = await hasSaved(device, 'ada')
  const bob = await device('bob')
  await bob.opensHome()
  const name = await hasAccount(bob)
  await setsUpVault(bob, 'the secret of bob 3306')
  const own = await bob.page.getByText(/^(\d{5} ){5}\d{5}$/).textContent()

  await opensBeams(ada)
  await expect(badge(ada)).toBeVisible()
  await opensSharing(ada, 'Cabin')
  await sharesBeam(ada, name, 'Read & Write')
  await ada.seesToast(`${name} can open the beam now`, SLOW)
  await expect(ada.page.getByRole('dialog').getByText(own ?? '')).toBeVisible()
  await ada.leaves()

  await opensBeams(bob)
  await bob.page.getByRole('tab', { name: /Shared With Me/ }).click()
  await bob.card('Cabin').first().getByRole('link', { name: 'Open Beam' }).click()
  await bob.sees(MARK)
})

test('e18 keys that were deposited before there was a vault are replaced, and the server forgets them', async ({
  device,
}) => {
  const laptop = await device('laptop')
  await laptop.opensHome()
  const username = await hasAccount(laptop)
  const link = await savesBeam(laptop, 'Cabin', MARK)
  await expect.poll(() => depositOf(laptop, link), SLOW).toBe(1)
  await setsUpVault(laptop)
  await expect.poll(() => depositOf(laptop, link), SLOW).toBe(0)
  await opensBeams(laptop)
  await expect(laptop.page.getByText('What is shared since you set up your vault')).toBeVisible()
  await laptop.leaves()
  const other = await device('other')
  await logsIn(other, username, SECRET)
  await isLoggedIn(other)
  await opensBeams(other)
  await other.card('Cabin').first().getByRole('link', { name: 'Open Beam' }).click()
  await other.sees(MARK)
})
