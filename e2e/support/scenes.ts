/** Every screen in each of its states, and how a person gets there. */
import { expect } from '@playwright/test'
import type { Device } from './device.ts'
import type { Folder } from './files.ts'
import type { CallDevice } from './stage.ts'

export interface Stage {
  device: CallDevice
  folder: Folder
  /** The device that looks; it has the size and the colours that are asked for. */
  looker: Device
  phone: boolean
}

export interface Scene {
  name: string
  on: readonly ('desktop' | 'phone')[]
  /** Leads there and asserts that it is there. */
  show: (stage: Stage) => Promise<void>
}

const BOTH = ['desktop', 'phone'] as const

export const SCENES: readonly Scene[] = [
  {
    name: 'home-alone',
    on: ['desktop'],
    show: async ({ looker }) => {
      await looker.startsBeam()
      await looker.seesHeading('Scan the QR Code with your mobile phone to start sharing.')
    },
  },
  {
    name: 'home-with-items',
    on: ['desktop'],
    show: async (stage) => {
      const bob = await joinedByAnother(stage)
      await someItems(stage, bob)
    },
  },
  {
    name: 'message-input',
    on: ['desktop'],
    show: async ({ looker }) => {
      await looker.startsBeam()
      await expect(await looker.opensMessageField()).toBeFocused()
    },
  },
  {
    name: 'joiner-without-beam',
    on: ['phone'],
    show: async ({ looker }) => {
      await looker.opensHome()
      await expect(looker.page.getByRole('button', { name: 'Join Beam' })).toBeVisible()
    },
  },
  {
    name: 'joiner-in-beam',
    on: ['phone'],
    show: async ({ device, looker }) => {
      const ada = await device('Ada')
      await looker.opens(await ada.startsBeam())
      await looker.seesHeading('Start Sharing')
      await looker.seesDevices(2)
    },
  },
  {
    name: 'joiner-with-items',
    on: ['phone'],
    show: async (stage) => {
      const ada = await stage.device('Ada')
      await stage.looker.opens(await ada.startsBeam())
      await stage.looker.seesDevices(2)
      await someItems(stage, ada)
    },
  },
  {
    name: 'space-without-beam',
    on: ['phone'],
    show: async ({ looker }) => {
      await looker.opensSpace()
      await expect(looker.page.getByRole('button', { name: 'New Beam' })).toBeVisible()
    },
  },
  {
    name: 'space-alone',
    on: BOTH,
    show: async ({ looker, phone }) => {
      if (phone) {
        await looker.opensSpace()
        await looker.page.getByRole('button', { name: 'New Beam' }).click()
      } else {
        await looker.startsBeam()
        await looker.opensSpace()
      }
      await looker.scansOwnQr()
    },
  },
  {
    name: 'space-with-items',
    on: BOTH,
    show: async (stage) => {
      const bob = await joinedByAnother(stage)
      await stage.looker.opensSpace()
      await stage.looker.seesDevices(2)
      await someItems(stage, bob)
    },
  },
  {
    name: 'join-dialog',
    on: ['phone'],
    show: async ({ looker }) => {
      await looker.opensSpace()
      await looker.page.getByRole('button', { name: 'Join Beam' }).click()
      await expect(looker.page.getByRole('dialog')).toBeVisible()
    },
  },
]

/** The looker's beam, and another device in it. */
async function joinedByAnother({ device, looker, phone }: Stage): Promise<Device> {
  const bob = await device('Bob')
  if (phone) {
    await looker.opens(await bob.startsBeam())
  } else {
    await bob.opens(await looker.startsBeam())
  }
  await looker.seesDevices(2)
  return bob
}

/** A text, a link, and files in both directions. */
async function someItems({ folder, looker }: Stage, other: Device): Promise<void> {
  await other.sharesText('Milk, bread, two lemons')
  await other.sharesText('https://example.org/a/page?with=a#mark')
  const offered = await folder.file('holiday film.bin', 3_000_000)
  const taken = await folder.file('minutes.bin', 40_000)
  await other.sharesFiles(offered, taken)
  await looker.takes(taken)
  await looker.has(taken)
  await looker.sees('Milk, bread')
  await looker.sees('example.org')
  await looker.sees(offered.name)
}
