/** The canvas as a test handles it: where notes lie, and how they are dragged. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { Device } from './device.ts'

export interface Point {
  x: number
  y: number
}

/** Returns the middle of a note, which does not depend on its tilt. */
export async function middleOf(device: Device, text: string): Promise<Point> {
  const box = await device.card(text).boundingBox()
  if (!box) throw new Error(`${text} is not drawn`)
  return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) }
}

export async function expectAt(device: Device, text: string, at: Point): Promise<void> {
  await expect
    .poll(async () => {
      const now = await middleOf(device, text)
      return Math.max(Math.abs(now.x - at.x), Math.abs(now.y - at.y))
    })
    .toBeLessThanOrEqual(2)
}

/** Moves the focus by Shift+Tab, from the first control behind the notes. */
export async function walksBackIntoNotes({ page }: Device): Promise<void> {
  await page.getByRole('button', { name: 'Zoom out' }).focus()
  for (let step = 0; step < 12; step += 1) {
    await page.keyboard.press('Shift+Tab')
    if (await page.evaluate(() => document.activeElement?.localName === 'article')) return
  }
  throw new Error('no note was reached')
}

export async function drags({ page }: Device, from: Point, by: Point): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(from.x + by.x / 2, from.y + by.y / 2)
  await page.mouse.move(from.x + by.x, from.y + by.y)
  await page.mouse.up()
}

/** Returns a point of the ground that no note and no bar covers. */
export async function emptyPlace(page: Page): Promise<Point> {
  const found = await page.evaluate(() => {
    for (let y = 100; y < 780; y += 20) {
      for (let x = 20; x < 1400; x += 20) {
        const free = [-12, 12].every((by) =>
          document.elementFromPoint(x + by, y + by)?.hasAttribute('data-gesture'),
        )
        if (free) return { x, y }
      }
    }
    return null
  })
  if (!found) throw new Error('the view is full')
  return found
}

/** A desktop device with notes of these texts on its canvas. */
export async function withNotes(
  device: (name: string) => Promise<Device>,
  ...texts: string[]
): Promise<Device> {
  const ada = await device('Ada')
  await ada.startsBeam()
  for (const text of texts) {
    await ada.sharesText(text)
    await ada.sees(text.replace(/^https?:\/\//, '').replace(/\/.*/, ''))
  }
  await restsOn(ada)
  return ada
}

/**
 * Waits until the code of the canvas, and of what lies over it, has come to a device that is not alone in its beam. A page that loses
 * its server before says that a part could not be loaded.
 */
export async function hasCanvas({ page }: Device): Promise<void> {
  await expect(page.getByRole('list', { name: 'Shared items' })).toBeAttached()
  await expect(page.getByRole('button', { name: 'Show QR' })).toBeVisible()
}

/** Waits for the entry animations, because Firefox cannot emulate reduced motion. */
export async function restsOn({ page }: Device): Promise<void> {
  await page.evaluate(async () => {
    const notes = [...document.querySelectorAll('[data-note]')]
    const moving = notes.flatMap((note) => note.getAnimations({ subtree: true }))
    await Promise.all(moving.map((animation) => animation.finished.catch(() => {})))
  })
}

export const plus = (a: Point, b: Point): Point => ({ x: a.x + b.x, y: a.y + b.y })

interface NoteBox extends Point {
  name: string
  height: number
}

/** Returns where the notes lie on the canvas, in the order of the beam. */
export async function noteBoxes({ page }: Device): Promise<NoteBox[]> {
  return await page.locator('[data-note]').evaluateAll((notes) =>
    (notes as HTMLElement[]).map((note) => ({
      name: note.querySelector('article')?.ariaLabel ?? '',
      x: Number.parseInt(note.style.left, 10),
      y: Number.parseInt(note.style.top, 10),
      height: note.offsetHeight,
    })),
  )
}

/** Returns the pairs of notes of which one covers the other. */
export async function coveredNotes(device: Device): Promise<string[]> {
  const boxes = await noteBoxes(device)
  return boxes.flatMap((a, at) =>
    boxes
      .slice(0, at)
      .filter((b) => Math.abs(a.x - b.x) < 256 && a.y < b.y + b.height && b.y < a.y + a.height)
      .map((b) => `${a.name} and ${b.name}`),
  )
}

/** Drops data from another window at a point of the page, or on an element. */
export async function drops(
  on: Device | Locator,
  at: Point,
  data: Readonly<Record<string, string>>,
): Promise<'taken' | 'left to the browser'> {
  const target = 'page' in on && typeof on.page !== 'function' ? on.page.locator('body') : (on as Locator)
  const isTaken = await target.evaluate(
    (element, [point, texts]) => {
      const dataTransfer = new DataTransfer()
      for (const [type, text] of Object.entries(texts)) dataTransfer.setData(type, text)
      const how = { bubbles: true, cancelable: true, clientX: point.x, clientY: point.y, dataTransfer }
      element.dispatchEvent(new DragEvent('dragenter', how))
      return !element.dispatchEvent(new DragEvent('drop', how))
    },
    [at, data] as const,
  )
  return isTaken ? 'taken' : 'left to the browser'
}
