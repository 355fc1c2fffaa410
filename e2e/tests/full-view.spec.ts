/** The full view: pictures with zoom, documents, and the way from one to the next. */
import { expect, type Locator } from '@playwright/test'
import type { Device } from '../support/device.ts'
import { pdf } from '../support/pdf.ts'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

const picture = (name: string, width = 800, height = 500) => ({
  name,
  mimeType: 'image/png',
  buffer: png(width, height),
})
const text = (name: string, content: string) => ({ name, mimeType: '', buffer: Buffer.from(content) })

type Shared = { name: string; mimeType: string; buffer: Buffer }

async function sharesAll(device: Device, ...files: readonly Shared[]): Promise<void> {
  // One at a time, so that their order is known.
  for (const file of files) {
    await device.picker().setInputFiles(file)
    await device.sees(file.name)
  }
}

async function opensFull(device: Device, name: string): Promise<Locator> {
  await device.card(name).hover()
  await device
    .card(name)
    .getByRole('button', { name: /^Full view/ })
    .click()
  return await seesFull(device, name)
}

async function seesFull(device: Device, name: string): Promise<Locator> {
  const view = device.page.getByRole('dialog', { name })
  await expect(view).toBeVisible()
  return view
}

async function widthOf(shown: Locator): Promise<number> {
  return (await shown.boundingBox())?.width ?? 0
}

test('pictures and documents follow each other by arrows and keys', { tag: '@everywhere' }, async ({
  device,
}) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await ada.keepsToasts()
  // Of somebody alone, a picture takes its place in the order once the server has it.
  await sharesAll(ada, picture('one.png'))
  await ada.seesToast('Uploaded "one.png" Successfully!')
  await sharesAll(ada, text('two.md', '# Plan'), picture('three.png'))
  // The view follows the newest item, and the others may lie under a bar.
  await ada.page.getByRole('button', { name: 'Fit all' }).click()
  const first = await opensFull(ada, 'one.png')
  await expect(first.getByText('1 of 3', { exact: true })).toBeVisible()
  await expect(first.getByRole('button', { name: 'Previous' })).toBeDisabled()
  await first.getByRole('button', { name: 'Next' }).click()
  await expect((await seesFull(ada, 'two.md')).getByText('# Plan')).toBeVisible()
  await ada.page.keyboard.press('ArrowRight')
  await seesFull(ada, 'three.png')
  await ada.page.keyboard.press('ArrowLeft')
  await seesFull(ada, 'two.md')
  await ada.page.keyboard.press('Escape')
  await expect(ada.page.getByRole('dialog')).toHaveCount(0)
})

test('a picture is zoomed by the wheel, keys, buttons and a double click, and moved', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await sharesAll(ada, picture('map.png', 3000, 2000))
  const view = await opensFull(ada, 'map.png')
  const shown = view.getByRole('img', { name: 'map.png' })
  const zoom = view.getByRole('button', { name: /^Zoom \d+ %/ })
  await expect(zoom).toBeVisible()
  const fit = await widthOf(shown)
  await view.getByRole('button', { name: 'Zoom in' }).click()
  await expect.poll(() => widthOf(shown)).toBeCloseTo(fit * 1.25, 0)
  await ada.page.keyboard.press('0')
  await expect.poll(() => widthOf(shown)).toBeCloseTo(fit, 0)
  await shown.hover()
  await ada.page.mouse.wheel(0, -300)
  await expect.poll(() => widthOf(shown)).toBeGreaterThan(fit * 1.3)
  await zoom.click()
  await expect(zoom).toHaveText('100 %')
  const before = await shown.boundingBox()
  await ada.page.mouse.down()
  await ada.page.mouse.up()
  await shown.hover({ position: { x: 1500, y: 1000 } })
  await ada.page.mouse.down()
  await ada.page.mouse.move(600, 400)
  await ada.page.mouse.up()
  await expect.poll(() => shown.boundingBox()).not.toEqual(before)
  await shown.dblclick({ position: { x: 1600, y: 1100 } })
  await expect.poll(() => widthOf(shown)).toBeCloseTo(fit, 0)
})

test('a swipe on a phone goes to the next picture', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone: true })
  await bob.opens(await ada.startsBeam())
  // Pictures of somebody alone would take their order from when the server has them.
  for (const one of [ada, bob]) await one.seesDevices(2)
  await sharesAll(ada, picture('one.png'), picture('two.png'))
  await bob.sees('one.png')
  const view = await opensFull(bob, 'two.png')
  await expect(view.getByText('1 of 2', { exact: true })).toBeVisible()
  await swipes(view.getByRole('img', { name: 'two.png' }), -200)
  await expect((await seesFull(bob, 'one.png')).getByText('2 of 2', { exact: true })).toBeVisible()
})

/** Moves a finger sideways over an element. */
async function swipes(over: Locator, by: number): Promise<void> {
  await over.evaluate((element, distance) => {
    const box = element.getBoundingClientRect()
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2]
    const tell = (type: string, at: number) =>
      element.dispatchEvent(
        new PointerEvent(type, {
          pointerId: 5,
          pointerType: 'touch',
          isPrimary: true,
          bubbles: true,
          clientX: at,
          clientY: y,
        }),
      )
    Element.prototype.setPointerCapture = () => {}
    tell('pointerdown', x)
    tell('pointermove', x + distance / 2)
    tell('pointermove', x + distance)
    tell('pointerup', x + distance)
  }, by)
}

test('a PDF is shown page by page, with text to select', { tag: '@everywhere' }, async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await sharesAll(ada, {
    name: 'plan.pdf',
    mimeType: 'application/pdf',
    buffer: pdf('The first page', 'The second page'),
  })
  const view = await opensFull(ada, 'plan.pdf')
  const first = view.getByRole('group', { name: 'Page 1 of 2' })
  await expect(first.getByText('The first page')).toBeAttached()
  await expect.poll(() => darkPixels(first.locator('canvas'))).toBeGreaterThan(200)
  await view.getByRole('group', { name: 'Page 2 of 2' }).scrollIntoViewIfNeeded()
  await expect(view.getByText('The second page')).toBeAttached()
  const width = await widthOf(first)
  await view.getByRole('button', { name: 'Zoom in' }).click()
  await expect.poll(() => widthOf(first)).toBeCloseTo(width * 1.25, 0)
})

async function darkPixels(canvas: Locator): Promise<number> {
  return await canvas.evaluate((element) => {
    const drawn = element as HTMLCanvasElement
    const { data } = drawn.getContext('2d')?.getImageData(0, 0, drawn.width, drawn.height) ?? { data: [] }
    let dark = 0
    for (let at = 0; at < data.length; at += 4) if ((data[at] ?? 255) < 100 && data[at + 3] === 255) dark += 1
    return dark
  })
}

test('what is no PDF says so, and can be downloaded', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await sharesAll(ada, text('broken.pdf', 'not at all'))
  const view = await opensFull(ada, 'broken.pdf')
  await expect(view.getByText('This file is not a PDF that can be read.')).toBeVisible()
  await expect(view.getByRole('link', { name: 'Download' })).toBeVisible()
})

test('a page of HTML is shown as its characters, and runs nothing', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  const html = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'
  await sharesAll(ada, text('page.html', html))
  const view = await opensFull(ada, 'page.html')
  await expect(view.getByText(html)).toBeVisible()
  await expect(view.locator('img, script')).toHaveCount(0)
  expect(await ada.page.title()).not.toBe('owned')
})

test('a long text shows its beginning and says so', async ({ device }) => {
  const ada = await device('Ada')
  await ada.startsBeam()
  await sharesAll(ada, text('log.txt', `${'one line of a log\n'.repeat(70_000)}the end`))
  const view = await opensFull(ada, 'log.txt')
  await expect(view.getByText(/This is the first MB of 1\.\d MB/)).toBeVisible()
  await expect(view.getByText('the end')).toHaveCount(0)
})

test('the view closes when its file is deleted', async ({ device }) => {
  const ada = await device('Ada')
  const bob = await device('Bob')
  await bob.opens(await ada.startsBeam())
  await sharesAll(ada, picture('one.png'))
  await bob.sees('one.png')
  await opensFull(bob, 'one.png')
  await ada.card('one.png').hover()
  await ada.card('one.png').getByRole('button', { name: 'Delete' }).click()
  await expect(bob.page.getByRole('dialog')).toHaveCount(0)
})
