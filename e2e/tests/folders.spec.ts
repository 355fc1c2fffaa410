import { join } from 'node:path'
import { expect, type Locator } from '@playwright/test'
import { expectNothingSerious } from '../support/axe.ts'
import { type Device, LARGE_FILE_MS } from '../support/device.ts'
import { MB } from '../support/files.ts'
import {
  AWKWARD,
  archivesOf,
  downloads,
  dropsFromDisk,
  dropsTree,
  hasOnOwnDisk,
  makeTree,
  pretendPickers,
  savedTree,
  sorted,
  type Tree,
  under,
  unzip,
  withoutPickers,
} from '../support/folders.ts'
import { png } from '../support/png.ts'
import { type CallDevice, test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

/** Two devices in a beam. `prepare` is done before the second one opens its page. */
async function pair(
  device: CallDevice,
  prepare: (bob: Device) => Promise<void> = withoutPickers,
  phone = false,
): Promise<[Device, Device]> {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone })
  await prepare(bob)
  await bob.opens(await ada.startsBeam())
  for (const one of [ada, bob]) await one.seesDevices(2)
  return [ada, bob]
}

async function receives(bob: Device, name: string, within: { timeout?: number } = {}): Promise<Locator> {
  const card = bob.card(name)
  await card.getByRole('button', { name: 'Receive', exact: true }).click(within)
  await expect(card.getByRole('button', { name: 'Save all' })).toBeVisible(within)
  return card
}

/** Thousands of files need longer than the usual wait on a machine that does other things besides. */
const MANY = { timeout: 60_000 }

/** A tree of so many files in folders of a hundred. */
function manyFiles(count: number): Tree {
  return new Map(
    Array.from({ length: count }, (_, at) => [`${Math.floor(at / 100)}/${at}.txt`, `text ${at}`] as const),
  )
}

test.describe('a folder', () => {
  test('f16_is_one_item_and_comes_out_of_an_archive_as_it_was', everywhere, async ({ device, folder }) => {
    const [ada, bob] = await pair(device)
    await dropsTree(ada, 'Füße', AWKWARD)
    const card = await receives(bob, 'Füße')
    await expect(bob.page.getByRole('article')).toHaveCount(1)
    const archive = await downloads(bob, card.getByRole('button', { name: 'Save all' }), folder.path)
    expect(sorted(await unzip(archive, join(folder.path, 'out')))).toEqual(under('Füße', AWKWARD))
    // It was never in memory as a whole.
    expect(await archivesOf(bob)).toBe(1)
  })

  test('f16_is_dropped_from_the_disk_beside_two_pictures_which_stay_two_pictures', async ({
    device,
    folder,
  }) => {
    const [ada, bob] = await pair(device)
    const path = join(folder.path, 'Füße')
    await makeTree(path, AWKWARD)
    const pictures = await Promise.all(['one.bin', 'two.bin'].map((name) => folder.file(name, 1_000)))
    await dropsFromDisk(ada, path, ...pictures.map((picture) => picture.path))
    await expect(bob.page.getByRole('article')).toHaveCount(2)
    await expect(bob.card('two.bin').getByText('2 files', { exact: true })).toBeVisible()
    const card = await receives(bob, 'Füße')
    const archive = await downloads(bob, card.getByRole('button', { name: 'Save all' }), folder.path)
    expect(sorted(await unzip(archive, join(folder.path, 'out')))).toEqual(under('Füße', AWKWARD))
  })

  test('f16_is_picked_with_its_empty_folders_and_saved_into_a_picked_folder_twice', async ({ device }) => {
    const ada = await device('Ada', { phone: true })
    await pretendPickers(ada)
    const bob = await device('Bob')
    await pretendPickers(bob)
    await ada.opens(await bob.startsBeam())
    for (const one of [ada, bob]) await one.seesDevices(2)
    await hasOnOwnDisk(ada, AWKWARD)
    await ada.page
      .locator('label')
      .filter({ hasText: /^Folder$/ })
      .click()
    const card = await receives(bob, 'picked')
    for (const _ of ['once', 'twice']) {
      await card.getByRole('button', { name: 'Save all' }).click()
      await bob.seesToast('Saved 15 files')
      // It may have gone by itself before a press.
      await bob.page.getByRole('button', { name: 'Dismiss' }).evaluateAll((buttons: HTMLElement[]) => {
        for (const button of buttons) button.click()
      })
      // It would be taken for the news of the second time.
      await expect(bob.page.getByText('Saved 15 files')).toHaveCount(0)
    }
    expect(sorted(await savedTree(bob))).toEqual(
      [...under('picked', AWKWARD), ...under('picked (2)', AWKWARD)].sort(([a], [b]) => (a < b ? -1 : 1)),
    )
  })

  test(
    'f24_is_saved_in_part_as_its_person_chooses_by_keys_or_presses',
    everywhere,
    async ({ device, folder }) => {
      const [ada, bob] = await pair(device)
      await dropsTree(
        ada,
        'Reise',
        new Map([
          ['Bilder/1.txt', 'one'],
          ['Bilder/2.txt', 'two'],
          ['Karten/', null],
          ['Plan.txt', 'plan'],
        ]),
      )
      const card = await receives(bob, 'Reise')
      await card.getByRole('button', { name: 'Choose…' }).click()
      const dialog = bob.page.getByRole('dialog', { name: 'Choose what to save' })
      const tree = dialog.getByRole('tree')
      const row = (name: string) => tree.getByRole('treeitem').filter({ hasText: name })
      await expect(row('Plan.txt')).toHaveAttribute('aria-checked', 'true')
      await expectNothingSerious(bob)

      await dialog.getByRole('checkbox', { name: 'Select all' }).press(' ')
      await expect(dialog.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
      await row('Karten').click()
      await tree.focus()
      // The folder at the top, what is in it, and the second file there.
      for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowDown', ' ']) await tree.press(key)
      await expect(row('2.txt')).toHaveAttribute('aria-checked', 'true')
      await expect(row('Bilder')).toHaveAttribute('aria-checked', 'mixed')
      // A press leaves the keys where they were.
      await row('2.txt').click()
      await row('2.txt').click()
      await expect(tree).toBeFocused()
      for (const _ of ['to its folder', 'closes it']) await bob.page.keyboard.press('ArrowLeft')
      await expect(row('2.txt')).toHaveCount(0)
      await expect(row('Bilder')).toHaveAttribute('aria-expanded', 'false')

      const archive = await downloads(bob, dialog.getByRole('button', { name: 'Save 1 file' }), folder.path)
      expect(sorted(await unzip(archive, join(folder.path, 'out')))).toEqual([
        ['Reise/Bilder/2.txt', 'two'],
        ['Reise/Karten/', null],
      ])
    },
  )

  test('f24_is_chosen_from_before_it_is_here_and_saved_then', async ({ device, folder }) => {
    test.setTimeout(2 * LARGE_FILE_MS)
    const ada = await device('Ada', { own: 'chromium' })
    const bob = await device('Bob', { own: 'chromium' })
    await pretendPickers(bob)
    await bob.opens(await ada.startsBeam())
    for (const one of [ada, bob]) await one.seesDevices(2)
    const path = join(folder.path, 'Filme')
    await makeTree(path, new Map([['Notiz.txt', 'short']]))
    await folder.sparse('Filme/film.bin', 120 * MB)
    await dropsFromDisk(ada, path)
    const card = bob.card('Filme')
    await Promise.all([
      bob.pausesAt({ name: 'Filme' }, 5),
      card.getByRole('button', { name: 'Receive', exact: true }).click(),
    ])
    // The list comes before the rest.
    await card.getByRole('button', { name: 'Choose…' }).click()
    await bob.page.getByRole('treeitem').filter({ hasText: 'film.bin' }).click()
    await bob.page.getByRole('button', { name: 'Save when it is here' }).click()
    await expect(card.getByText('Will be saved when it is here')).toBeVisible()
    expect((await savedTree(bob)).size).toBe(0)
    await card.getByRole('button', { name: 'Resume', exact: true }).click()
    await expect(bob.page.getByText('Saved 1 file').first()).toBeVisible({ timeout: LARGE_FILE_MS })
    expect(sorted(await savedTree(bob))).toEqual([['Filme/Notiz.txt', 'short']])
  })

  test('f24_is_saved_into_the_kept_folder_without_a_question_until_it_is_forgotten', async ({ device }) => {
    const [ada, bob] = await pair(device, pretendPickers)
    await bob.page.getByRole('button', { name: '2 devices' }).click()
    const place = bob.page.getByRole('region', { name: 'Folder for saved files' })
    await place.getByRole('button', { name: 'Choose…' }).click()
    await expect(place.getByText('picked')).toBeVisible()
    await bob.page.reload()
    // From now on a picker would be a mistake.
    await bob.page.evaluate(() =>
      Object.assign(window, { showDirectoryPicker: () => Promise.reject(new Error('asked')) }),
    )
    const files = ['a.txt', 'b.txt'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(name),
    }))
    for (const file of files) await ada.picker().setInputFiles([file])
    await dropsTree(ada, 'Ordner', new Map([['c.txt', 'c.txt']]))
    for (const name of ['a.txt', 'b.txt', 'Ordner'])
      await bob.card(name).getByRole('button', { name: 'Receive', exact: true }).click()
    await expect(bob.card('Ordner').getByRole('button', { name: 'Save all' })).toBeVisible()
    await bob.card('a.txt').getByRole('link', { name: 'Save' }).click()
    await bob.seesToast('Saved “a.txt” in “picked”')
    await bob.page.getByRole('button', { name: 'Beam', exact: true }).click()
    await bob.page.getByRole('menuitem', { name: 'Save everything received' }).click()
    await bob.seesToast('Saved 2 files')
    await bob.seesToast('Saved 1 file')
    expect(sorted(await savedTree(bob))).toEqual([
      ['Ordner/c.txt', 'c.txt'],
      ['a (2).txt', 'a.txt'],
      ['a.txt', 'a.txt'],
      ['b.txt', 'b.txt'],
    ])
    await bob.page.getByRole('button', { name: '2 devices' }).click()
    await place.getByRole('button', { name: 'Use the browser’s downloads' }).click()
    await expect(place.getByText('The browser’s downloads')).toBeVisible()
  })

  test('f24_is_streamed_as_an_archive_into_a_picked_file', async ({ device }) => {
    const [ada, bob] = await pair(device, pretendPickers)
    await dropsTree(ada, 'Reise', new Map([['Plan.txt', 'plan']]))
    const card = await receives(bob, 'Reise')
    await card.getByRole('button', { name: 'Choose…' }).click()
    await bob.page.getByRole('button', { name: 'Save as zip…' }).click()
    await bob.seesToast('Saved “Reise.zip”')
    const [[name, text] = ['', '']] = sorted(await savedTree(bob))
    expect(name).toBe('Reise.zip')
    expect(text).toMatch(/^PK.*Reise\/Plan\.txtplan/s)
  })

  test('f16_of_ten_thousand_files_drops_no_other_item_and_draws_few_rows', everywhere, async ({ device }) => {
    test.setTimeout(240_000)
    const [ada, bob] = await pair(device)
    for (let at = 0; at < 30; at += 1) await ada.sharesText(`note number ${at} of thirty`)
    await expect(bob.page.getByRole('article')).toHaveCount(30, MANY)
    await dropsTree(ada, 'Archiv', manyFiles(10_000))
    const card = await receives(bob, 'Archiv', MANY)
    await expect(card.getByText('10,000 files').first()).toBeAttached(MANY)
    await expect(bob.page.getByRole('article')).toHaveCount(31, MANY)
    await expect(ada.page.getByRole('article')).toHaveCount(31, MANY)

    await card.getByRole('button', { name: 'Choose…' }).click()
    const tree = bob.page.getByRole('tree')
    const drawn = () => tree.getByRole('treeitem').count()
    await tree.getByRole('treeitem').first().click()
    // The row that was pressed is gone then, and the keys still go to the tree.
    for (const key of ['End', 'Home', 'End']) await bob.page.keyboard.press(key)
    await expect(tree).toBeFocused()
    await expect(tree.getByRole('treeitem', { name: '99 900 B' })).toBeVisible(MANY)
    await tree.press('ArrowRight')
    await tree.press('End')
    await expect(tree.getByRole('treeitem').filter({ hasText: '9999.txt' })).toBeVisible(MANY)
    expect(await drawn()).toBeLessThan(40)
    expect(await bob.page.locator('*').count()).toBeLessThan(4_000)
  })
})

test('two pictures arrive as two pictures, and are saved as two', async ({ device }) => {
  const [ada, bob] = await pair(device)
  const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png(40, 30) })
  await ada.picker().setInputFiles([picture('one.png'), picture('two.png')])
  const card = bob.card('2 pictures')
  await expect(card.getByRole('button', { name: 'Save all' })).toBeVisible()
  const names: string[] = []
  bob.page.on('download', (download) => names.push(download.suggestedFilename()))
  await card.getByRole('button', { name: 'Save all' }).click()
  await expect.poll(() => names).toEqual(['one.png', 'two.png'])
})
