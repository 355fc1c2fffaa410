/** Accounts for tests. The account screens have tests of their own; here they are only used to log in. */
import { randomBytes } from 'node:crypto'
import { expect } from '@playwright/test'
import type { Device } from './device.ts'

export const PASSWORD = 'a password for tests'

/** Registers an account on the device, which is then logged in. Returns its unique username. */
export async function hasAccount(device: Device, firstName = device.name): Promise<string> {
  const username = `${device.name.toLowerCase()}_${randomBytes(4).toString('hex')}`
  const answer = await device.context.request.post(`${device.origin}/api/auth/register/`, {
    multipart: {
      first_name: firstName,
      last_name: 'Tester',
      username,
      email: `${username}@example.org`,
      password: PASSWORD,
    },
  })
  expect(answer.status(), await answer.text()).toBe(201)
  return username
}

/** Creates a beam, shares a text in it and saves it. Returns the beam's link. */
export async function savesBeam(device: Device, name: string, text: string): Promise<string> {
  const link = await device.startsBeam()
  await device.sharesText(text)
  await device.sees(text)
  await device.page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = device.page.getByRole('dialog', { name: 'Save Beam' })
  await device.enters(dialog.getByRole('textbox', { name: 'Beam Name' }), name)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await device.seesToast('Beam saved successfully!')
  await device.seesNoDialog()
  return link
}

/** Opens My Beams. */
export async function opensBeams(device: Device): Promise<void> {
  await device.opens(`${device.origin}/beams`)
  await device.seesHeading('My Beams')
}

/** Opens the Share dialog of a beam on My Beams. */
export async function opensSharing(device: Device, beam: string): Promise<void> {
  await device.card(beam).first().getByRole('button', { name: 'Share', exact: true }).click()
  await expect(device.page.getByRole('dialog', { name: `Share “${beam}”` })).toBeVisible()
}

export type LevelText = 'Read Only' | 'Read & Write' | 'Admin'

/** Shares a beam from the open dialog. */
export async function sharesBeam(device: Device, username: string, level: LevelText): Promise<void> {
  const dialog = device.page.getByRole('dialog')
  await device.enters(dialog.getByRole('textbox', { name: 'Username' }), username)
  await dialog.getByRole('combobox', { name: 'Permission', exact: true }).selectOption(level)
  await dialog.getByRole('button', { name: 'Share', exact: true }).click()
}
