/** The screens with items: their cards, the canvas and the lists, the full view and the search. */
import { expect } from '@playwright/test'
import { choosesFromBeamMenu } from './beam-scenes.ts'
import { MB } from './files.ts'
import { asksAfterReload, isKeptForLater, picksFromOwnDisk } from './own-disk.ts'
import { pdf } from './pdf.ts'
import { png } from './png.ts'
import {
  BOTH,
  hidesSheet,
  inFullView,
  joinedByAnother,
  type Scene,
  severalFiles,
  sharesPictures,
} from './scene-steps.ts'

export const ITEM_SCENES: readonly Scene[] = [
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
      if (phone) await looker.goesToSpace()
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
      await stage.looker.goesToSpace()
      await bob.sharesFiles(...(await severalFiles(stage.folder)))
      await expect(stage.looker.page.getByRole('dialog', { name: /^5 files from/ })).toBeVisible()
    },
  },
  {
    name: 'offer-again',
    on: ['desktop'],
    show: async (stage) => {
      const { page } = stage.looker
      await page.addInitScript(picksFromOwnDisk, ['Minutes of the meeting.bin', 3 * MB] as const)
      await page.addInitScript(asksAfterReload)
      await joinedByAnother(stage)
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Files' }).click()
      await stage.looker.sees('Minutes of the meeting.bin')
      await isKeptForLater(page)
      await page.reload()
      await expect(page.getByRole('button', { name: 'Offer it again' })).toBeVisible()
    },
  },
  {
    name: 'paused',
    on: BOTH,
    show: async (stage) => {
      const { looker, folder } = stage
      const bob = await joinedByAnother(stage)
      await bob.sharesFiles(
        await folder.sparse('film.mkv', 200 * MB),
        await folder.sparse('index.bin', 120 * MB),
      )
      // On a phone a sheet comes over the card, which has the same button.
      const offer = stage.phone ? looker.page.getByRole('dialog') : looker.page
      await offer.getByRole('button', { name: 'Receive all' }).first().click()
      await expect(looker.page.getByText(/of 320 MB/).first()).toBeVisible()
      const pause = looker.page.getByRole('button', {
        name: stage.phone ? 'Pause' : 'Pause all',
        exact: true,
      })
      await pause.last().click()
      await expect(looker.page.getByText('Paused').first()).toBeVisible()
    },
  },
  {
    name: 'transfers',
    on: BOTH,
    show: async (stage) => {
      const { looker, folder } = stage
      for (const name of ['Holiday in the mountains.mp4', 'backup.tar']) {
        const film = await folder.sparse(name, 120 * MB)
        const bob = await joinedByAnother(stage)
        await bob.sharesFiles(film)
        await Promise.all([looker.pausesAt(film, 10), looker.takes(film)])
        await expect(looker.file(film).getByRole('button', { name: 'Resume' })).toBeVisible()
        if (name === 'backup.tar') break
        await choosesFromBeamMenu(looker, 'Leave Beam')
      }
      await choosesFromBeamMenu(looker, 'Transfers')
      await expect(looker.page.getByRole('region', { name: 'In other beams' })).toBeVisible()
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
      const { looker } = stage
      await joinedByAnother(stage)
      // The canvas, whose keys these are, is loaded when another device is here.
      await looker.page.locator('[data-gesture]').waitFor()
      await looker.presses('?', looker.page.getByRole('dialog', { name: 'Keyboard shortcuts' }))
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
]
