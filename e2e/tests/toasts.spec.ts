import { expect, type Locator, type Page } from '@playwright/test'
import type { TestFile } from '../support/files.ts'
import { test } from '../support/stage.ts'

/** How far the lowest toast is above something, in px; negative while it covers it. */
async function gap(page: Page, below: Locator): Promise<number> {
  const toast = await page.locator('[data-toast]').last().boundingBox()
  const bar = await below.boundingBox()
  return toast && bar ? bar.y - (toast.y + toast.height) : Number.NaN
}

/** A file whose name no toast can show whole. */
async function longNamed(folder: { file: (name: string, size: number) => Promise<TestFile> }) {
  return await folder.file(`Minutes of the ${'very '.repeat(20)}long meeting 2041.bin`, 10)
}

test.describe('a toast', () => {
  test('stands 12 px above the toolbar, however high the message field is, and the hint makes room', async ({
    device,
  }) => {
    const ada = await device('Ada')
    await ada.startsBeam()
    await ada.sharesText('Dinner at eight')
    await ada.sees('Dinner at eight')
    const hint = ada.page.getByText('Double Click a note to copy')
    await expect(hint).toBeVisible()

    await ada.keepsToasts()
    const tells = async (name: string) => {
      await ada.picker().setInputFiles({ name, mimeType: '', buffer: Buffer.from('a') })
      await ada.seesToast(`Uploading ${name}`)
    }
    await ada.enters(await ada.opensMessageField(), 'one\ntwo\nthree\nfour\nfive')
    await tells('a.bin')
    await expect(hint).toBeHidden()
    await expect.poll(() => gap(ada.page, ada.page.getByLabel('Toolbar'))).toBeCloseTo(12, 0)

    await ada.page.getByRole('button', { name: 'Close', exact: true }).click()
    await tells('b.bin')
    await expect.poll(() => gap(ada.page, ada.page.getByLabel('Toolbar'))).toBeCloseTo(12, 0)
    await ada.page.getByRole('button', { name: 'Share', exact: true }).click()
    await tells('c.bin')
    await expect.poll(() => gap(ada.page, ada.page.getByRole('menu'))).toBeCloseTo(12, 0)
    await ada.letsToastsGo()
    await expect(hint).toBeVisible()
  })

  test('on a phone covers neither the message field nor the Space Menu', async ({ device, folder }) => {
    const ada = await device('Ada')
    const bob = await device('Bob', { phone: true })
    await bob.opens(await ada.startsBeam())
    const field = bob.page.getByRole('textbox', { name: 'Message' })
    await bob.keepsToasts()
    await bob.enters(field, 'one\ntwo\nthree')
    await bob.sharesFiles(await longNamed(folder))
    await expect.poll(() => gap(bob.page, field)).toBeGreaterThanOrEqual(12)

    await bob.opensSpace()
    await bob.page.getByRole('button', { name: 'Space Menu' }).click()
    await bob.sharesFiles(await folder.file('b.bin', 10))
    await bob.seesToast('Uploading b.bin')
    await expect.poll(() => gap(bob.page, bob.page.getByRole('menu'))).toBeCloseTo(12, 0)
  })

  test('shortens a long name in the middle', async ({ device, folder }) => {
    const ada = await device('Ada')
    await ada.startsBeam()
    await ada.keepsToasts()
    await ada.sharesFiles(await longNamed(folder))
    await ada.seesToast('Uploading Minutes of the very very…eeting 2041.bin')
  })
})
