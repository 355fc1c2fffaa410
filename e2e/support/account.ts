/** People with accounts. What a person does on the screens of accounts has tests of its own; here it is the way in. */
import { randomBytes } from 'node:crypto'
import { expect } from '@playwright/test'
import type { Device } from './device.ts'

export const PASSWORD = 'a password for tests'

/** Makes an account and leaves the device logged in with it. Answers the username, which no other test has. */
export async function hasAccount(device: Device): Promise<string> {
  const username = `${device.name.toLowerCase()}_${randomBytes(4).toString('hex')}`
  const answer = await device.context.request.post(`${device.origin}/api/auth/register/`, {
    multipart: {
      first_name: device.name,
      last_name: 'Tester',
      username,
      email: `${username}@example.org`,
      password: PASSWORD,
    },
  })
  expect(answer.status(), await answer.text()).toBe(201)
  return username
}

/** Starts a beam, shares a text in it and saves it. Answers the beam's link. */
export async function savesBeam(device: Device, name: string, text: string): Promise<string> {
  const link = await device.startsBeam()
  await device.sharesText(text)
  await device.sees(text)
  await device.page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = device.page.getByRole('dialog', { name: 'Save Beam' })
  await device.enters(dialog.getByRole('textbox', { name: 'Beam Name' }), name)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await device.seesToast('Beam saved successfully!')
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
