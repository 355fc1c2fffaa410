/**
 * The canvas with 2,000 items: the cost of a frame during a pan and during the drag of a note, and the notes that
 * change when one is added. Milliseconds are those of script, style, layout and paint on the page's main thread.
 */
import { expect, type Page } from '@playwright/test'
import { Device } from '../support/device.ts'
import { RawClient } from '../support/raw-client.ts'
import type { Server } from '../support/server.ts'
import { type MainThread, recordMainThread } from './main-thread.ts'
import { median, type Row } from './table.ts'
import { DESKTOP_CHROMIUM, withBrowser } from './two-browsers.ts'

const ITEMS = 2000
/** After the first 500 messages the server reads at most 100 per second (S15). */
const FILLED_WITHIN_MS = 120_000
const MOVES = 120

export async function measureCanvas(server: Server): Promise<Row[]> {
  return await withBrowser(async ({ page }) => {
    const ada = new Device('Ada', page, server.origin, DESKTOP_CHROMIUM)
    const bob = await RawClient.joins(await ada.startsBeam())
    for (let at = 0; at < ITEMS; at += 1) {
      bob.send({ type: 'share_clipboard', message: `${words(at)} number ${at}.`, extra: 'text' })
    }
    await expect(page.getByRole('article')).toHaveCount(ITEMS, { timeout: FILLED_WITHIN_MS })
    await page.waitForLoadState('networkidle')
    const panning = await recordMainThread(page, () => pans(page))
    const from = await headOfNote(page)
    const dragging = await recordMainThread(page, () => drags(page, from))
    const touched = await touchedByAdding(ada, bob)
    bob.leaves()
    return [
      frameRow('panning', panning),
      taskRow('panning', panning),
      frameRow('dragging', dragging),
      taskRow('dragging', dragging),
      {
        figure: 'notes that change when one is added to 2,000',
        product: `${touched}`,
        reference: '',
        value: touched,
        target: { atMost: 0 },
      },
    ]
  })
}

/** Returns texts of one to eight lines, so that notes have different sizes. */
function words(at: number): string {
  return 'Milk, bread, two lemons, and the map. '.repeat(1 + (at % 8))
}

function frameRow(what: string, { frames }: MainThread): Row {
  // Idle frames say nothing about the cost of the busy ones.
  const worked = frames.filter((ms) => ms > 0)
  const value = median(worked)
  return {
    figure: `a frame of ${what} with 2,000 items, median`,
    product: `${value.toFixed(2)} ms of ${worked.length}`,
    reference: '',
    value,
    target: { atMost: 8 },
  }
}

function taskRow(what: string, { longestTask }: MainThread): Row {
  return {
    figure: `the longest task of ${what} with 2,000 items`,
    product: `${longestTask.toFixed(1)} ms`,
    reference: '',
    value: longestTask,
    target: { atMost: 50 },
  }
}

/** Pans over new notes all the time, so that the cost of drawing them is included. */
async function pans(page: Page): Promise<void> {
  await page.keyboard.down(' ')
  await page.mouse.move(720, 450)
  await page.mouse.down()
  for (let move = 1; move <= MOVES; move += 1) {
    const angle = (move / MOVES) * 2 * Math.PI
    await page.mouse.move(720 + 600 * Math.sin(angle), 450 + 320 * Math.sin(2 * angle))
  }
  await page.mouse.up()
  await page.keyboard.up(' ')
}

/** Returns a point at which a note in view can be dragged. */
async function headOfNote(page: Page): Promise<{ x: number; y: number }> {
  for (const note of await page.locator('article:has(header)').all()) {
    const box = await note.boundingBox()
    const isFree = box && box.x > 0 && box.x < 1000 && box.y > 90 && box.y < 600
    if (isFree) return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  throw new Error('no note is drawn in view')
}

async function drags(page: Page, from: { x: number; y: number }): Promise<void> {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  for (let move = 1; move <= MOVES; move += 1) {
    await page.mouse.move(from.x + 3 * (move % 60), from.y + 2 * (move % 60))
  }
  await page.mouse.up()
}

/** Returns how many of the existing notes change (elements, attributes or text) when another one is added. */
async function touchedByAdding(ada: Device, bob: RawClient): Promise<number> {
  const touched = await ada.page.evaluateHandle(() => {
    const there = new Set(document.querySelectorAll('[data-note]'))
    const changed = new Set<Element>()
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement
        const note = element?.closest('[data-note]')
        if (note && there.has(note) && !element?.closest('time')) changed.add(note)
      }
    }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    return changed
  })
  bob.send({ type: 'share_clipboard', message: 'one more', extra: 'text' })
  await expect(ada.page.getByRole('article')).toHaveCount(ITEMS + 1)
  return await touched.evaluate((changed) => changed.size)
}
