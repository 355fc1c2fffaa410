/** Every screen in each of its states, and the steps that lead there. */
import { expect } from '@playwright/test'
import { hasAccount, opensBeams, opensSharing, sharesBeam } from './account.ts'
import { BEAM_SCENES } from './beam-scenes.ts'
import { opensNote } from './note.ts'
import { pdf } from './pdf.ts'
import { png } from './png.ts'
import {
  aloneWithItems,
  createsNote,
  hasSavedBeam,
  hidesSheet,
  inFullView,
  joinedByAnother,
  pretendCamera,
  type Stage,
  severalFiles,
  sharesPictures,
  someItems,
  writesNote,
} from './scene-steps.ts'

export interface Scene {
  name: string
  on: readonly ('desktop' | 'phone')[]
  /** Takes the steps and asserts that the screen is shown. */
  show: (stage: Stage) => Promise<void>
}

const BOTH = ['desktop', 'phone'] as const

export const SCENES: readonly Scene[] = [
  ...BEAM_SCENES,
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
    name: 'files-waiting',
    on: BOTH,
    show: async (stage) => {
      const { looker, folder } = stage
      const bob = await joinedByAnother(stage)
      const own = await folder.file('Minutes of the long meeting in the cabin.bin', 40_000)
      await looker.sharesFiles(own)
      await bob.sees(own.name)
      await looker.page.reload()
      await bob.sharesFiles(await folder.file('one.bin', 40_000))
      await bob.sharesFiles(await folder.file('two.bin', 3_000_000))
      await expect(looker.page.getByRole('button', { name: 'Receive all 2 files' })).toBeVisible()
      await expect(looker.page.getByRole('button', { name: 'Choose the file again' })).toBeVisible()
    },
  },
  {
    name: 'batches',
    on: BOTH,
    show: async (stage) => {
      const { looker, phone } = stage
      const bob = await joinedByAnother(stage)
      // Without a reload, after which the sheet is not shown by itself.
      if (phone) await looker.page.getByRole('link', { name: 'Space' }).click()
      await sharesPictures(bob, 7)
      await bob.sharesFiles(...(await severalFiles(stage.folder)))
      if (phone) await hidesSheet(looker)
      await expect(looker.page.getByRole('button', { name: 'Receive all' })).toBeVisible()
      await expect(looker.page.getByRole('button', { name: /^Full view of/ })).toHaveCount(phone ? 6 : 4)
      await looker.page.getByRole('button', { name: 'Show all 5' }).click()
    },
  },
  {
    name: 'incoming-sheet',
    on: ['phone'],
    show: async (stage) => {
      const bob = await joinedByAnother(stage)
      await stage.looker.page.getByRole('link', { name: 'Space' }).click()
      await bob.sharesFiles(...(await severalFiles(stage.folder)))
      await expect(stage.looker.page.getByRole('dialog', { name: /^5 files from/ })).toBeVisible()
    },
  },
  {
    name: 'pictures-two-a-row',
    on: ['phone'],
    show: async (stage) => {
      const { looker } = stage
      const bob = await joinedByAnother(stage)
      await looker.opensSpace()
      await bob.sharesText(
        'See https://example.org/a?b=c and write to jonas@example.org or call +41 44 668 18 00.',
      )
      await bob.sharesText('https://example.org/wiki/Heliograph')
      await bob.sharesText('Train to Bern 09:32, track 7')
      for (const name of ['one.png', 'two.png', 'three.png']) {
        await bob.picker().setInputFiles({ name, mimeType: 'image/png', buffer: png(640, 400) })
        await expect(looker.page.getByRole('img', { name })).toBeVisible()
      }
      await looker.card('Train to Bern').getByRole('button', { name: 'More' }).click()
    },
  },
  {
    name: 'canvas-full',
    on: ['desktop'],
    show: async (stage) => {
      const bob = await joinedByAnother(stage)
      for (let at = 0; at < 16; at += 1) await bob.sharesText(`Note ${at} of many. `.repeat(1 + (at % 6)))
      await expect(stage.looker.page.getByRole('article')).toHaveCount(16)
      await expect(stage.looker.page.getByRole('button', { name: /new notes?$/ })).toBeVisible()
      await stage.looker.page
        .getByRole('article')
        .first()
        .click({ modifiers: ['Shift'] })
      await expect(stage.looker.page.getByText('1 note selected')).toBeAttached()
    },
  },
  {
    name: 'canvas-menus',
    on: ['desktop'],
    show: async (stage) => {
      const bob = await joinedByAnother(stage)
      for (const text of ['Milk', 'Bread', 'Lemons']) await bob.sharesText(text)
      const { page } = stage.looker
      await expect(page.getByRole('article')).toHaveCount(3)
      await page.keyboard.press('Control+a')
      await expect(page.getByRole('toolbar', { name: 'Selected notes' })).toBeVisible()
      await page.getByRole('article').first().click({ button: 'right' })
      await expect(page.getByRole('menu', { name: 'Note' })).toBeVisible()
    },
  },
  {
    name: 'canvas-keys',
    on: ['desktop'],
    show: async (stage) => {
      await joinedByAnother(stage)
      await stage.looker.page.keyboard.press('?')
      await expect(stage.looker.page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
    },
  },
  {
    name: 'canvas-code-and-links',
    on: BOTH,
    show: async (stage) => {
      const { looker, phone } = stage
      const bob = await joinedByAnother(stage)
      if (phone) await looker.opensSpace()
      await bob.sharesText('See https://example.org/a?b=c and\n\n    make run\n    make test\n\nThat is all.')
      await bob.sharesText('```sh\nfor f in *.jpg; do\n  cwebp -q 82 "$f"\ndone\n```')
      await looker.sees('That is all.')
      await looker.sees('cwebp')
    },
  },
  {
    name: 'full-view',
    on: BOTH,
    show: async (stage) => {
      const { looker, phone } = stage
      const bob = await joinedByAnother(stage)
      if (phone) await looker.opensSpace()
      await bob.picker().setInputFiles({ name: 'view.png', mimeType: 'image/png', buffer: png(640, 400) })
      await expect(looker.page.getByRole('img', { name: 'view.png' })).toBeVisible()
      if (!phone) await looker.card('view.png').hover()
      await looker
        .card('view.png')
        .getByRole('button', { name: /^Full view/ })
        .click()
      await expect(looker.page.getByRole('dialog', { name: 'view.png' })).toBeVisible()
    },
  },
  {
    name: 'full-view-pdf',
    on: BOTH,
    show: async (stage) => {
      const file = {
        name: 'Plan of the cabin.pdf',
        mimeType: 'application/pdf',
        buffer: pdf('Plan', 'Costs'),
      }
      const view = await inFullView(stage, file)
      await expect(view.getByText('Plan', { exact: true })).toBeAttached()
    },
  },
  {
    name: 'full-view-text',
    on: BOTH,
    show: async (stage) => {
      const buffer = Buffer.from('day,place,cost\nSaturday,cabin,120\nSunday,lake,0\n'.repeat(40))
      const view = await inFullView(stage, { name: 'Costs.csv', mimeType: 'text/csv', buffer })
      await expect(view.getByText('Saturday')).toBeVisible()
    },
  },
  {
    name: 'search',
    on: BOTH,
    show: async (stage) => {
      const { looker, phone } = stage
      const bob = await joinedByAnother(stage)
      if (phone) await looker.opensSpace()
      for (let at = 0; at < 9; at += 1)
        await bob.sharesText(at % 3 === 0 ? `Cabin, room ${at}` : `Boat ${at}`)
      await looker.sees('Boat 8')
      if (!phone) await looker.page.getByRole('button', { name: 'Search items' }).click()
      await looker.enters(looker.page.getByRole('searchbox'), 'cabin')
      await expect(looker.page.getByText('3 of 9 items match')).toBeVisible()
    },
  },
  {
    name: 'text-editing',
    on: BOTH,
    show: async (stage) => {
      const { looker } = stage
      const bob = await joinedByAnother(stage)
      await looker.sharesText('The door code is 1234, and the keys are with Jonas.')
      await bob.sees('door code')
      await looker.card('door code').hover()
      await looker.uses(looker.card('door code'), 'Edit')
      await expect(looker.page.getByRole('textbox', { name: 'Text' })).toBeFocused()
    },
  },
  {
    name: 'text-conflict',
    on: BOTH,
    show: async (stage) => {
      const { looker } = stage
      const bob = await joinedByAnother(stage)
      await looker.sharesText('first')
      await bob.sees('first')
      for (const person of [bob, looker]) {
        await person.card('first').hover()
        await person.uses(person.card('first'), 'Edit')
      }
      await bob.page.getByRole('textbox', { name: 'Text' }).fill('theirs')
      await bob.page.getByRole('textbox', { name: 'Text' }).press('Control+Enter')
      await expect(looker.page.getByRole('article', { name: 'Text, theirs' })).toBeVisible()
      await looker.page.getByRole('textbox', { name: 'Text' }).fill('mine')
      await looker.page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(looker.page.getByRole('alertdialog')).toBeVisible()
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
  {
    name: 'note-editor-empty',
    on: BOTH,
    show: async (stage) => {
      await createsNote(stage)
    },
  },
  {
    name: 'note-editor',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.text.locator('img').click()
      await expect(editor.text.getByRole('button', { name: 'Alt' })).toBeVisible()
    },
  },
  {
    name: 'note-viewer',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.saves()
      await opensNote(stage.looker, 'Cabin weekend')
    },
  },
  {
    name: 'note-card',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.saves()
      await stage.looker.sees('Cabin weekend')
    },
  },
  {
    name: 'note-editor-table-menu',
    on: BOTH,
    show: async (stage) => {
      const editor = await createsNote(stage)
      await writesNote(editor)
      await editor.text.locator('td').first().click()
      await editor.tool('Table').click()
      await expect(editor.page.getByRole('button', { name: 'Insert row above' })).toBeVisible()
    },
  },
]
