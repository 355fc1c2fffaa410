/** The screens of an account and its saved beams. */
import { expect } from '@playwright/test'
import { hasAccount, opensBeams, opensSharing, sharesBeam } from './account.ts'
import { png } from './png.ts'
import { BOTH, hasSavedBeam, type Scene } from './scene-steps.ts'

export const ACCOUNT_SCENES: readonly Scene[] = [
  {
    name: 'login',
    on: BOTH,
    show: async ({ looker }) => {
      await looker.opens(`${looker.origin}/login`)
      await looker.page.getByRole('button', { name: 'Sign In' }).click()
      await looker.seesToast('Password is required')
    },
  },
  {
    name: 'register',
    on: BOTH,
    show: async ({ looker }) => {
      await looker.opens(`${looker.origin}/register`)
      await looker.enters(looker.page.getByLabel('Password', { exact: true }), 'password1')
      await looker.seesToast('Very common: easy to guess')
    },
  },
  {
    name: 'profile',
    on: BOTH,
    show: async ({ looker }) => {
      await hasAccount(looker)
      await looker.opens(`${looker.origin}/profile`)
      await looker.page
        .getByLabel('Change the picture')
        .setInputFiles({ name: 'me.png', mimeType: 'image/png', buffer: png(400, 400) })
      // On the page, and in the navigation.
      await expect(looker.page.locator('img')).toHaveCount(2)
    },
  },
  {
    name: 'profile-edit',
    on: BOTH,
    show: async ({ looker }) => {
      await hasAccount(looker)
      await looker.opens(`${looker.origin}/profile`)
      await looker.page.getByRole('button', { name: 'Edit Profile' }).click()
      await expect(looker.page.getByLabel('First name')).toBeFocused()
    },
  },
  {
    name: 'delete-account',
    on: BOTH,
    show: async ({ looker }) => {
      await hasAccount(looker)
      await looker.opens(`${looker.origin}/profile`)
      await looker.page.getByRole('button', { name: 'Delete Account' }).click()
      await expect(looker.page.getByRole('alertdialog', { name: 'Delete Account' })).toBeVisible()
    },
  },
  {
    name: 'beams',
    on: BOTH,
    show: async (stage) => {
      await hasSavedBeam(stage)
      await opensBeams(stage.looker)
      await expect(stage.looker.card('Cabin weekend')).toBeVisible()
    },
  },
  {
    name: 'share-dialog',
    on: BOTH,
    show: async (stage) => {
      await hasSavedBeam(stage)
      const other = await stage.device('Jonas')
      const username = await hasAccount(other)
      await opensBeams(stage.looker)
      await opensSharing(stage.looker, 'Cabin weekend')
      await sharesBeam(stage.looker, username, 'Read Only')
      await stage.looker.seesToast(/Anyone with the link can still write/)
    },
  },
  {
    name: 'save-dialog',
    on: BOTH,
    show: async ({ looker, phone }) => {
      await hasAccount(looker)
      await looker.opensHome()
      if (phone) await looker.page.getByRole('button', { name: 'New Beam' }).click()
      await looker.seesDevices(1)
      await looker.sharesText('Keys are with Jonas')
      await looker.page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(looker.page.getByRole('dialog', { name: 'Save Beam' })).toBeVisible()
    },
  },
]
