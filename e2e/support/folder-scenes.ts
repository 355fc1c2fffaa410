/** The screens of folders: their card, the choice of what is saved, and where it is saved. */
import { expect } from '@playwright/test'
import { dropsTree, pretendPickers, type Tree, withoutPickers } from './folders.ts'
import { isKeptForLater } from './own-disk.ts'
import { BOTH, joinedByAnother, type Scene, type Stage } from './scene-steps.ts'

const JOURNEY: Tree = new Map([
  ['Bilder/Bergen/IMG_2041.jpg', 'x'.repeat(48_000)],
  ['Bilder/Bergen/IMG_2042.jpg', 'x'.repeat(51_000)],
  ['Bilder/Am Fjord.jpg', 'x'.repeat(64_000)],
  // So deep that its name needs the room of the screen.
  ['Bilder/2026/Juni/Woche 2/Fjell/Gipfel/Auswahl/Sonnenaufgang über dem Fjord.jpg', 'x'.repeat(70_000)],
  ['Karten/', null],
  ['Musik/Überfahrt – Aufnahme vom Deck, zweiter Tag, mit Wind.mp3', 'x'.repeat(90_000)],
  ['.gitignore', 'x'],
  ['Packliste.txt', 'x'.repeat(2_000)],
  ['Tickets.pdf', 'x'.repeat(20_000)],
])

/** Another device shares a folder, and this one receives it. */
async function hasFolder(stage: Stage): Promise<void> {
  const { looker, phone } = stage
  await (phone ? withoutPickers(looker) : pretendPickers(looker))
  const bob = await joinedByAnother(stage)
  if (phone) await looker.goesToSpace()
  await dropsTree(bob, 'Norwegen', JOURNEY)
  await looker.card('Norwegen').getByRole('button', { name: 'Receive', exact: true }).click()
  await expect(looker.page.getByRole('button', { name: 'Save all' })).toBeVisible()
}

export const FOLDER_SCENES: readonly Scene[] = [
  { name: 'folder', on: BOTH, show: hasFolder },
  {
    name: 'folder-contents',
    on: BOTH,
    show: async (stage) => {
      await hasFolder(stage)
      const { page } = stage.looker
      await page.getByRole('button', { name: 'Choose…' }).click()
      await page.getByRole('treeitem').filter({ hasText: 'IMG_2042.jpg' }).click()
      await expect(page.getByRole('button', { name: 'Save 7 files' })).toBeVisible()
      await page.getByRole('tree').press('ArrowUp')
    },
  },
  {
    name: 'folder-saving',
    on: BOTH,
    show: async (stage) => {
      await hasFolder(stage)
      const { page } = stage.looker
      // A disk that never answers.
      await page.evaluate(() => {
        FileSystemFileHandle.prototype.createWritable = () => new Promise(() => {})
      })
      await page.getByRole('button', { name: 'Save all' }).press('Enter')
      await expect(page.getByText('Saving 1 of 8')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Cancel' })).toBeFocused()
    },
  },
  {
    name: 'folder-lost',
    on: BOTH,
    show: async (stage) => {
      const { looker, phone } = stage
      await joinedByAnother(stage)
      if (phone) await looker.goesToSpace()
      await dropsTree(looker, 'Norwegen', JOURNEY)
      await expect(looker.card('Norwegen')).toBeVisible()
      await isKeptForLater(looker.page)
      await looker.page.reload()
      await expect(looker.page.getByRole('button', { name: 'Choose the folder again' })).toBeVisible()
    },
  },
  {
    name: 'save-place',
    on: ['desktop'],
    show: async (stage) => {
      await pretendPickers(stage.looker)
      await joinedByAnother(stage)
      const { page } = stage.looker
      await page.getByRole('button', { name: '2 devices' }).click()
      const place = page.getByRole('region', { name: 'Folder for saved files' })
      await place.getByRole('button', { name: 'Choose…' }).click()
      await expect(place.getByText('picked')).toBeVisible()
    },
  },
]
