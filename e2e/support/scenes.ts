/** Every screen in each of its states, and the steps that lead there. */
import { expect } from '@playwright/test'
import { opensBeams, opensSharing } from './account.ts'
import { ACCOUNT_SCENES } from './account-scenes.ts'
import { BEAM_SCENES } from './beam-scenes.ts'
import { FOLDER_SCENES } from './folder-scenes.ts'
import { ITEM_SCENES } from './item-scenes.ts'
import { NOTE_SCENES } from './note-scenes.ts'
import { PLAIN_SCENES } from './plain-scenes.ts'
import {
  aloneWithItems,
  BOTH,
  hasSavedBeam,
  joinedByAnother,
  pretendCamera,
  type Scene,
  someItems,
} from './scene-steps.ts'
import { SEALED_SCENES } from './sealed-scenes.ts'
import { VAULT_SCENES } from './vault-scenes.ts'

export const SCENES: readonly Scene[] = [
  ...BEAM_SCENES,
  ...ITEM_SCENES,
  ...FOLDER_SCENES,
  ...ACCOUNT_SCENES,
  ...NOTE_SCENES,
  ...PLAIN_SCENES,
  ...SEALED_SCENES,
  ...VAULT_SCENES,
  {
    name: 'home-alone',
    on: ['desktop'],
    show: async ({ looker }) => {
      await looker.startsBeam()
      await looker.seesHeading('Scan the QR Code with your mobile phone to start sharing.')
    },
  },
  {
    name: 'keep-offered',
    on: BOTH,
    show: async (stage) => {
      await aloneWithItems(stage)
      await expect(stage.looker.page.getByRole('region', { name: 'No other device is here' })).toBeVisible()
    },
  },
  {
    name: 'kept',
    on: BOTH,
    show: async (stage) => {
      await aloneWithItems(stage)
      const { page } = stage.looker
      await page.getByRole('button', { name: 'Keep it for 24 h' }).click()
      await page.getByRole('button', { name: /1 device · kept/i }).click()
      await expect(page.getByRole('button', { name: 'Stop keeping' })).toBeVisible()
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
  {
    name: 'about',
    on: BOTH,
    show: async ({ looker, phone }) => {
      await (phone ? looker.opensSpace() : looker.opensHome())
      await looker.page.getByRole('button', { name: 'Know More' }).click()
      await expect(looker.page.getByRole('dialog', { name: 'About Heliograph' })).toBeVisible()
    },
  },
  {
    name: 'scanner',
    on: BOTH,
    show: async ({ looker }) => {
      await looker.context.addInitScript(pretendCamera)
      await looker.opensHome()
      await looker.page.getByRole('button', { name: 'Join Beam' }).click()
      await looker.page.getByRole('dialog').getByRole('button', { name: 'Scan QR' }).click()
      await expect(looker.page.getByRole('dialog', { name: 'Scan QR' })).toBeVisible()
      await expect(looker.page.getByText('Waiting for the camera…')).toHaveCount(0)
    },
  },
  {
    name: 'not-found',
    on: BOTH,
    show: async ({ looker }) => {
      await looker.opens(`${looker.origin}/nothing/here`)
      await looker.seesHeading('There is no page here')
    },
  },
  {
    name: 'offline',
    on: ['phone'],
    show: async ({ looker }) => {
      await looker.opensHome()
      await expect(looker.page.getByRole('button', { name: 'Scan QR' })).toBeVisible()
      await looker.context.setOffline(true)
      await looker.seesToast(/You are offline/)
    },
  },
  {
    name: 'read-only',
    on: BOTH,
    show: async (stage) => {
      const { desk, link } = await hasSavedBeam(stage)
      await opensBeams(desk)
      await opensSharing(desk, 'Cabin weekend')
      await desk.page.getByRole('combobox', { name: 'Anyone with the link' }).selectOption('Read Only')
      await desk.seesToast('Share permissions updated successfully')
      await stage.looker.context.clearCookies()
      await stage.looker.opens(link)
      await stage.looker.seesToast('You can only read in this beam')
      await stage.looker.sees('Keys are with Jonas')
    },
  },
  {
    name: 'beam-gone',
    on: BOTH,
    show: async (stage) => {
      const { desk, link } = await hasSavedBeam(stage)
      await opensBeams(desk)
      await opensSharing(desk, 'Cabin weekend')
      await desk.page.getByRole('combobox', { name: 'Anyone with the link' }).selectOption('No Access')
      await desk.seesToast('Share permissions updated successfully')
      await stage.looker.context.clearCookies()
      await stage.looker.opens(link)
      await stage.looker.seesHeading('You cannot join this beam')
    },
  },
]
