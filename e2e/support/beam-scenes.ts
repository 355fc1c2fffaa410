/** The screens about the beam as a whole: the ways in and out, and the devices in it. */
import { expect } from '@playwright/test'
import { hasAccount } from './account.ts'
import type { Device } from './device.ts'
import { BOTH, hasSavedBeam, joinedByAnother, type Scene } from './scene-steps.ts'

/** Opens the menu of the beam, which every page has. */
export async function opensBeamMenu({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: 'Beam', exact: true }).click()
  await expect(page.getByRole('menu', { name: 'Beam' })).toBeVisible()
}

export async function choosesFromBeamMenu(device: Device, command: string): Promise<void> {
  await opensBeamMenu(device)
  await device.page.getByRole('menuitem', { name: command }).click()
}

export const BEAM_SCENES: readonly Scene[] = [
  {
    name: 'beam-menu',
    on: BOTH,
    show: async (stage) => {
      const { desk, link } = await hasSavedBeam(stage)
      await desk.seesDevices(1)
      await stage.looker.opens(link)
      await stage.looker.sees('Keys are with Jonas')
      await opensBeamMenu(stage.looker)
    },
  },
  {
    name: 'large-code',
    on: BOTH,
    show: async (stage) => {
      await joinedByAnother(stage)
      await choosesFromBeamMenu(stage.looker, 'Show QR')
      const dialog = stage.looker.page.getByRole('dialog', { name: 'Add a device' })
      await dialog.getByRole('button', { name: 'Show a short code' }).click()
      await expect(dialog.getByText(/^ends in /)).toBeVisible()
    },
  },
  {
    name: 'leave-dialog',
    on: BOTH,
    show: async (stage) => {
      const bob = await joinedByAnother(stage)
      await stage.looker.sharesFiles(await stage.folder.file('only here.bin', 40_000))
      await bob.sees('only here.bin')
      await choosesFromBeamMenu(stage.looker, 'Leave Beam')
      await expect(stage.looker.page.getByRole('alertdialog', { name: 'Leave this beam?' })).toBeVisible()
    },
  },
  {
    name: 'recent-beams',
    on: BOTH,
    show: async (stage) => {
      const { looker } = stage
      const { link } = await hasSavedBeam(stage)
      await looker.opens(link)
      await looker.sees('Keys are with Jonas')
      await joinedByAnother(stage)
      await choosesFromBeamMenu(looker, 'New Beam')
      await looker.seesDevices(1)
      await choosesFromBeamMenu(looker, 'Recent beams')
      await expect(looker.page.getByRole('dialog').getByRole('listitem')).toHaveCount(2)
    },
  },
  {
    name: 'nobody-yet',
    on: BOTH,
    show: async ({ looker }) => {
      await looker.opens(`${looker.origin}/?beam_id=7c9e6679-7425-40de-944b-e07fc1f90ae7`)
      await looker.seesToast('Nobody is here yet.')
    },
  },
  {
    name: 'device-list',
    on: BOTH,
    show: async (stage) => {
      await joinedByAnother(stage)
      const { page } = stage.looker
      await page.getByRole('button', { name: '2 devices' }).click()
      await expect(page.getByRole('button', { name: /^Send to / })).toBeVisible()
      await page.getByRole('button', { name: 'Rename this device' }).click()
      await expect(page.getByRole('textbox', { name: 'Name of this device' })).toBeFocused()
    },
  },
  {
    name: 'send-dialog',
    on: BOTH,
    show: async (stage) => {
      await joinedByAnother(stage)
      await stage.looker.page.getByRole('button', { name: '2 devices' }).click()
      await stage.looker.page.getByRole('button', { name: /^Send to / }).click()
      await expect(stage.looker.page.getByRole('dialog', { name: /^Send to / })).toBeVisible()
    },
  },
  {
    name: 'send-on-dialog',
    on: BOTH,
    show: async (stage) => {
      const { looker, device, phone } = stage
      const bob = await device('Bob')
      const link = await (phone ? bob : looker).startsBeam()
      await (phone ? looker : bob).opens(link)
      await looker.seesDevices(2)
      const cyd = await device('Cyd')
      await hasAccount(cyd)
      await cyd.opens(link)
      await bob.sharesText('The door code')
      await looker.seesDevices(3)
      await looker.card('The door code').hover()
      await looker.uses(looker.card('The door code'), 'Send to one device')
      const dialog = looker.page.getByRole('dialog', { name: 'Send to one device' })
      await expect(dialog.getByRole('listitem')).toHaveCount(2)
    },
  },
  {
    name: 'sent-to-one',
    on: BOTH,
    show: async (stage) => {
      const { looker, folder } = stage
      const bob = await joinedByAnother(stage)
      await bob.sharesText('For everybody who is here')
      await sends(looker, 'The code of the garage is 4711')
      await sends(bob, 'Thanks, nobody else needs it')
      await bob.page.keyboard.press('Escape')
      await bob.sharesFiles(await folder.file('minutes.bin', 40_000))
      await looker.sees('minutes.bin')
      await looker.sees('Thanks, nobody else')
      await looker.page.keyboard.press('Escape')
    },
  },
]

/** Sends a text to the only other device. */
async function sends({ page }: Device, text: string): Promise<void> {
  await page.getByRole('button', { name: '2 devices' }).click()
  await page.getByRole('button', { name: /^Send to / }).click()
  const dialog = page.getByRole('dialog', { name: /^Send to / })
  await dialog.getByRole('textbox').fill(text)
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(dialog).toHaveCount(0)
}
