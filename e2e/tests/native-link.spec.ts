/** A connection between a browser, by the library that the page uses, and a native device (L4, L5, F8). */
import { test as base, expect } from '@playwright/test'
import { NativeWire } from '../support/native-wire.ts'

const test = base.extend<{ wire: (pageInitiates: boolean) => Promise<NativeWire> }>({
  wire: async ({ page }, use) => {
    const wires: NativeWire[] = []
    await use(async (pageInitiates) => {
      const wire = await NativeWire.open(page, { pageInitiates })
      wires.push(wire)
      return wire
    })
    for (const wire of wires) await wire.end()
  },
})

for (const pageInitiates of [true, false]) {
  const who = pageInitiates ? 'the browser' : 'the native device'

  test(`l5 frames of every size go both ways where ${who} initiates`, { tag: '@everywhere' }, async ({
    page,
    wire,
  }) => {
    await wire(pageInitiates)
    for (const bytes of [1, 1_200, 64 * 1024, 256 * 1024]) {
      for (const channel of ['bulk', 'control'] as const) {
        const echo = await page.evaluate(([name, size]) => window.ends.echo(name, size), [
          channel,
          bytes,
        ] as const)
        expect(echo).toEqual({ bytes, wrong: 0 })
      }
    }
  })

  test(`l4 frames go on after ICE was restarted where ${who} initiates`, { tag: '@everywhere' }, async ({
    page,
    wire,
  }) => {
    const { native, heard } = await wire(pageInitiates)
    const descriptions = () =>
      heard.filter(({ signal }) => typeof (signal as { sdp?: unknown } | undefined)?.sdp === 'string').length
    expect(descriptions()).toBe(1)
    if (pageInitiates) await page.evaluate(() => window.ends.restart())
    else native.tell({ signal: { type: 'restart' } })
    await expect.poll(descriptions).toBe(2)
    const echo = await page.evaluate(() => window.ends.echo('bulk', 256 * 1024))
    expect(echo).toEqual({ bytes: 256 * 1024, wrong: 0 })
  })

  test(`l5 the native end closes when the browser does, where ${who} initiates`, {
    tag: '@everywhere',
  }, async ({ page, wire }) => {
    const { heard } = await wire(pageInitiates)
    await page.evaluate(() => window.ends.close())
    await expect.poll(() => heard.some(({ closed }) => closed)).toBe(true)
  })

  test(`l5 the browser closes when the native end does, where ${who} initiates`, {
    tag: '@everywhere',
  }, async ({ page, wire }) => {
    const { native } = await wire(pageInitiates)
    native.tell({ close: true })
    await expect.poll(() => page.evaluate(() => window.ends.isClosed)).toBe(true)
  })
}
