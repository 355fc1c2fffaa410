/** The screens of vaults: set up, open, locked, and what they say of a saved beam. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { hasAccount, opensBeams, opensSharing, savesBeam, sharesBeam } from './account.ts'
import type { Device } from './device.ts'
import { aloneWithItems, BOTH, type Scene, type Stage } from './scene-steps.ts'
import {
  isLoggedIn,
  logsIn,
  opensProfile,
  provesWords,
  SECRET,
  SLOW,
  seesWords,
  setsUpVault,
} from './vault.ts'

/** The looker is logged in and at home. */
async function withAccount({ looker }: Stage): Promise<string> {
  await looker.opensHome()
  return await hasAccount(looker)
}

/** A person with a vault and a beam saved in it, whose login the looker has too. */
async function hasVault(stage: Stage): Promise<{ desk: Device; username: string }> {
  const desk = await stage.device('Desk')
  await desk.opensHome()
  const username = await hasAccount(desk)
  await setsUpVault(desk)
  await savesBeam(desk, 'Cabin weekend', 'Keys are with Jonas')
  return { desk, username }
}

/** The looker has the login of a person whose vault is open there. */
async function opensVaultHere(stage: Stage): Promise<{ desk: Device; username: string }> {
  const made = await hasVault(stage)
  await logsIn(stage.looker, made.username, SECRET)
  await isLoggedIn(stage.looker)
  return made
}

/** Has the operator give a person a new password, and returns it. */
async function givesPassword({ server }: Stage, username: string): Promise<string> {
  const reset = ['user', 'reset-password', username, '--data', server.data]
  const { stdout } = await promisify(execFile)(process.env.HELIOGRAPH_BINARY ?? '', reset)
  return /The new password of \S+: (\S+)/.exec(stdout)?.[1] ?? ''
}

const dialogOf = ({ page }: Device) => page.getByRole('dialog').or(page.getByRole('alertdialog'))

export const VAULT_SCENES: readonly Scene[] = [
  {
    name: 'vault-words',
    on: BOTH,
    show: async (stage) => {
      await withAccount(stage)
      await seesWords(stage.looker)
    },
  },
  {
    name: 'vault-words-asked',
    on: BOTH,
    show: async (stage) => {
      const { looker } = stage
      await withAccount(stage)
      await seesWords(looker)
      await dialogOf(looker).getByRole('button', { name: 'I have written them down' }).click()
      await looker.enters(dialogOf(looker).getByLabel('Word 3', { exact: true }), 'lemon')
      await dialogOf(looker).getByRole('button', { name: 'Continue' }).click()
      await expect(dialogOf(looker).getByText('This is another word')).toHaveCount(1)
    },
  },
  {
    name: 'vault-password',
    on: BOTH,
    show: async (stage) => {
      await withAccount(stage)
      await provesWords(stage.looker, await seesWords(stage.looker))
      await expect(dialogOf(stage.looker).getByLabel('New password', { exact: true })).toBeVisible()
    },
  },
  {
    name: 'vault-open',
    on: BOTH,
    show: async (stage) => {
      await opensVaultHere(stage)
      await opensProfile(stage.looker)
      await expect(stage.looker.page.getByText(/^(\d{5} ){5}\d{5}$/)).toBeVisible()
    },
  },
  {
    name: 'vault-locked',
    on: BOTH,
    show: async (stage) => {
      const { username } = await hasVault(stage)
      await logsIn(stage.looker, username, await givesPassword(stage, username))
      await isLoggedIn(stage.looker)
      await opensProfile(stage.looker)
      await stage.looker.page.getByRole('button', { name: 'Open with recovery words' }).click()
      await expect(dialogOf(stage.looker).getByLabel('Recovery words')).toBeVisible()
    },
  },
  {
    name: 'login-of-a-vault-that-is-gone',
    on: BOTH,
    show: async (stage) => {
      const { username } = await opensVaultHere(stage)
      await givesPassword(stage, username)
      await logsIn(stage.looker, username, SECRET)
      await expect(stage.looker.page.getByLabel('The operator has given me this password')).toBeVisible()
    },
  },
  {
    name: 'save-into-a-vault',
    on: BOTH,
    show: async (stage) => {
      await opensVaultHere(stage)
      await aloneWithItems(stage)
      await stage.looker.page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(stage.looker.page.getByRole('dialog', { name: 'Save Beam' })).toBeVisible()
    },
  },
  {
    name: 'beams-in-a-vault',
    on: BOTH,
    show: async (stage) => {
      await opensVaultHere(stage)
      await opensBeams(stage.looker)
      await expect(stage.looker.page.getByText(/^Readable only by you/)).toBeVisible()
    },
  },
  {
    name: 'share-from-a-vault',
    on: BOTH,
    show: async (stage) => {
      await opensVaultHere(stage)
      const jonas = await stage.device('Jonas')
      await jonas.opensHome()
      const username = await hasAccount(jonas)
      await setsUpVault(jonas, 'the secret of jonas 3306')
      const other = await stage.device('Mia')
      const without = await hasAccount(other)
      await opensBeams(stage.looker)
      await expect(stage.looker.page.getByText(/^Readable only by you/)).toBeVisible()
      await opensSharing(stage.looker, 'Cabin weekend')
      await sharesBeam(stage.looker, username, 'Read Only')
      await stage.looker.seesToast(`${username} can open the beam now`, SLOW)
      await sharesBeam(stage.looker, without, 'Read Only')
      await expect(stage.looker.page.getByText(/^No vault yet/)).toBeVisible()
    },
  },
]
