/** What people do with the vaults of their accounts. */
import { expect } from '@playwright/test'
import { PASSWORD } from './account.ts'
import type { Device } from './device.ts'

/** A password that a server has never seen. */
export const SECRET = 'quince-tango-7719-plover'

/** A device may stand still while it makes keys of a password, which is meant to be slow. */
export const SLOW = { timeout: 30_000 }

const dialogOf = ({ page }: Device) => page.getByRole('dialog').or(page.getByRole('alertdialog'))

/** Types passwords into the fields of a dialog. */
async function enters(device: Device, passwords: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, text] of Object.entries(passwords))
    await device.enters(dialogOf(device).getByLabel(label, { exact: true }), text)
}

export async function opensProfile(device: Device): Promise<void> {
  await device.opens(`${device.origin}/profile`)
  await device.seesHeading('Vault')
}

/** Opens the dialog that sets up a vault. Returns the words that it shows. */
export async function seesWords(device: Device): Promise<readonly string[]> {
  await opensProfile(device)
  await device.page.getByRole('button', { name: 'Set up a vault' }).click()
  const words = dialogOf(device).getByRole('listitem')
  await expect(words).toHaveCount(12)
  return words.allInnerTexts()
}

/** Shows that the words are written down. */
export async function provesWords(device: Device, words: readonly string[]): Promise<void> {
  await dialogOf(device).getByRole('button', { name: 'I have written them down' }).click()
  for (const number of [3, 8, 11]) await enters(device, { [`Word ${number}`]: words[number - 1] ?? '' })
  await dialogOf(device).getByRole('button', { name: 'Continue' }).click()
}

/** Sets up a vault. Returns its recovery words. */
export async function setsUpVault(device: Device, password = SECRET): Promise<string> {
  const words = await seesWords(device)
  await provesWords(device, words)
  await enters(device, {
    'Current password': PASSWORD,
    'New password': password,
    'Confirm password': password,
  })
  await dialogOf(device).getByRole('button', { name: 'Set up a vault' }).click()
  await device.seesToast('Your vault is set up', SLOW)
  await device.seesNoDialog()
  return words.join(' ')
}

/** Changes the password of an account with a vault. */
export async function changesPassword(device: Device, from: string, to: string): Promise<void> {
  await opensProfile(device)
  await device.page.getByRole('button', { name: 'Change Password' }).click()
  await enters(device, { 'Current password': from, 'New password': to, 'Confirm password': to })
  await dialogOf(device).getByRole('button', { name: 'Change Password' }).click()
  await device.seesToast('Password changed. Your other devices are logged out.', SLOW)
  await device.seesNoDialog()
}

/** Opens the vault by its words. */
export async function recovers(device: Device, words: string, from: string, to: string): Promise<void> {
  await opensProfile(device)
  await device.page.getByRole('button', { name: 'Open with recovery words' }).click()
  await enters(device, { 'Recovery words': words, 'Password from the operator': from })
  await enters(device, { 'New password': to, 'Confirm password': to })
  await dialogOf(device).getByRole('button', { name: 'Open the vault' }).click()
  await device.seesToast('Your vault is open again', SLOW)
  await device.seesNoDialog()
}

/** Fills in the login form and sends it. */
export async function logsIn(device: Device, username: string, password: string): Promise<void> {
  await device.opens(`${device.origin}/login`)
  await device.enters(device.page.getByLabel('Username', { exact: true }), username)
  await device.enters(device.page.getByLabel('Password', { exact: true }), password)
  await device.page.getByRole('button', { name: 'Sign In', exact: true }).click()
}

/** Waits until the form has led in. */
export async function isLoggedIn(device: Device): Promise<void> {
  await device.seesToast('Login successful!', SLOW)
}
