import { utimes } from 'node:fs/promises'
import { expect } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

/** Ada and Bob in one beam. */
async function two(device: (name: string) => Promise<Device>): Promise<{ ada: Device; bob: Device }> {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  return { ada, bob }
}

test.describe('a file that is offered', () => {
  test('says to whom, and waits for a device only while none is here', async ({ device, folder }) => {
    const ada = await device('Ada')
    const link = await ada.startsBeam()
    const film = await folder.file('film.bin', 70_001)
    await ada.sharesFiles(film)
    await expect(ada.card(film.name).getByText('Waiting for a device')).toBeVisible()

    const bob = await device('Bob')
    await bob.opens(link)
    await expect(ada.card(film.name).getByText(/^Offered to (Chrome|Firefox) on /)).toBeVisible()
    const cyd = await device('Cyd')
    await cyd.opens(link)
    await expect(ada.card(film.name).getByText('Offered to 2 devices')).toBeVisible()
  })

  test('and lost by a reload is chosen again, and goes under the same item', async ({ device, folder }) => {
    const { ada, bob } = await two(device)
    const film = await folder.file('film.bin', 70_001)
    const other = await folder.file('other.bin', 70_001)
    const written = new Date('2026-01-02T03:04:05Z')
    await utimes(film.path, written, written)
    await ada.sharesFiles(film)
    await bob.sees(film.name)

    await ada.page.reload()
    const card = ada.card(film.name)
    await expect(card.getByRole('button', { name: 'Choose the file again' })).toBeVisible()
    await expect(card.getByRole('button', { name: 'Retry' })).toHaveCount(0)
    const picker = card.getByLabel('Choose film.bin again')
    await picker.setInputFiles(other.path)
    await ada.seesToast('“other.bin” is another file. Choose “film.bin”.')
    await utimes(film.path, written, new Date(written.getTime() + 60_000))
    await picker.setInputFiles(film.path)
    await ada.seesToast('“film.bin” has changed since it was shared. Share it as a new file.')
    await utimes(film.path, written, written)
    await picker.setInputFiles(film.path)
    await expect(card.getByRole('button', { name: 'Choose the file again' })).toHaveCount(0)

    await bob.takes(film)
    expect(await bob.savedSha256(film)).toBe(film.sha256)
    await bob.sees(film.name)
  })

  test('and received before a reload is still complete, and is asked for once a device comes that has it not', async ({
    device,
    folder,
  }) => {
    const ada = await device('Ada')
    const bob = await device('Bob')
    const link = await ada.startsBeam()
    await bob.opens(link)
    await ada.seesDevices(2)
    const film = await folder.file('film.bin', 70_001)
    await ada.sharesFiles(film)
    await bob.takes(film)
    await bob.has(film)
    const card = ada.card(film.name)
    await expect(card.getByText('Complete')).toBeVisible()

    await ada.page.reload()
    await expect(card.getByText('Complete')).toBeVisible()
    await expect(card.getByRole('button', { name: 'Choose the file again' })).toHaveCount(0)
    const cyd = await device('Cyd')
    await cyd.opens(link)
    await expect(card.getByRole('button', { name: 'Choose the file again' })).toBeVisible()
  })

  test('and lost by a reload with others of its card is chosen again together with them', async ({
    device,
    folder,
  }) => {
    const { ada, bob } = await two(device)
    const files = [
      await folder.file('one.bin', 40_001),
      await folder.file('two.bin', 50_001),
      await folder.file('three.bin', 60_001),
    ]
    const other = await folder.file('other.bin', 40_001)
    await ada.sharesFiles(...files)
    await bob.sees('one.bin')

    await ada.page.reload()
    const card = ada.card('one.bin')
    const sentence = 'This page was reloaded, so the files are no longer here.'
    await expect(card.getByText(sentence)).toHaveCount(1)
    await expect(card.getByText('No longer here', { exact: true })).toHaveCount(3)
    await expect(card.getByText(/again$/)).toHaveCount(1)
    const picker = card.locator('input[type=file]')
    await picker.setInputFiles([other, ...files.slice(1)].map(({ path }) => path))
    await ada.seesToast('1 of the files you chose is not among these, or has changed since it was shared.')
    await picker.setInputFiles(files.map(({ path }) => path))
    await expect(card.getByText('No longer here', { exact: true })).toHaveCount(0)

    await bob.page.getByRole('button', { name: 'Receive all' }).click()
    for (const file of files) expect(await bob.savedSha256(file)).toBe(file.sha256)
  })

  test(
    'together with others has one toast, and all are received with one press',
    everywhere,
    async ({ device, folder }) => {
      const { ada, bob } = await two(device)
      const files = [
        await folder.file('one.bin', 40_001),
        await folder.file('two.bin', 50_001),
        await folder.file('three.bin', 60_001),
      ]
      await ada.sharesFiles(...files)
      await ada.seesToast('Uploading 3 files')
      await expect(ada.page.getByText('Uploading one.bin')).toHaveCount(0)

      await bob.page.getByRole('button', { name: 'Receive all' }).click()
      await ada.seesToast('Uploaded 3 files Successfully!')
      await expect(ada.page.getByText('Uploading 3 files')).toHaveCount(0)
      await expect(bob.page.getByRole('button', { name: /^Receive all/ })).toHaveCount(0)
      for (const file of files) expect(await bob.savedSha256(file)).toBe(file.sha256)
    },
  )

  test('is warned about when its page is left, until another device has it', async ({ device, folder }) => {
    const { ada, bob } = await two(device)
    const film = await folder.file('film.bin', 70_001)
    await ada.sharesFiles(film)
    await bob.sees(film.name)
    // A browser asks only a person who has used the page.
    await ada.card(film.name).click()

    const asked = ada.page.waitForEvent('dialog')
    await ada.page.close({ runBeforeUnload: true })
    const question = await asked
    expect(question.type()).toBe('beforeunload')
    await question.dismiss()

    await bob.takes(film)
    await bob.has(film)
    await expect(ada.card(film.name).getByText('Complete')).toBeVisible()
    const closed = ada.page.waitForEvent('close')
    await ada.page.close({ runBeforeUnload: true })
    await closed
  })
})
