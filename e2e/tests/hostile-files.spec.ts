/** H40, H41: a stored file that is opened directly runs no code in our origin, whatever its declared type. */
import { expect, type Page } from '@playwright/test'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

const SCRIPT = `<script>localStorage.setItem('ran', location.href)</script>`
const SVG = `<svg xmlns="http://www.w3.org/2000/svg"><script>localStorage.setItem('ran', 'svg')</script></svg>`
/** A real picture followed by a page, at a position that the server does not inspect. */
const BOTH = [new Uint8Array(png(1, 1)), new Uint8Array(8192), '<html>', SCRIPT, 'shown']

async function upload(origin: string, type: string, bytes: BlobPart[]): Promise<Response> {
  const form = new FormData()
  form.set('file', new File(bytes, 'view.png', { type }))
  return await fetch(`${origin}/api/upload/`, { method: 'POST', body: form })
}

/** Returns what a file's code left in a page of our origin; null when none has run. */
async function ran(page: Page, origin: string): Promise<string | null> {
  await page.goto(`${origin}/healthz`)
  return await page.evaluate(() => localStorage.getItem('ran'))
}

test('HTML and SVG are refused, whatever their declared type', { tag: '@everywhere' }, async ({ server }) => {
  for (const content of [SCRIPT, SVG, `<!doctype html>${SCRIPT}`]) {
    for (const type of ['image/png', 'image/gif', 'image/svg+xml', 'text/html', 'video/mp4']) {
      expect((await upload(server.origin, type, [content])).status, `${type}: ${content}`).toBe(400)
    }
  }
})

test('a picture that is also a page is downloaded, and runs nothing', { tag: '@everywhere' }, async ({
  page,
  server,
}) => {
  const { url } = await (await upload(server.origin, 'image/png', BOTH)).json()
  await page.goto(`${server.origin}/healthz`)
  const downloads = page.waitForEvent('download')
  // The navigation ends as a download, which some browsers report as a failure.
  await page.goto(server.origin + url).catch(() => {})
  expect((await downloads).suggestedFilename()).toBe('view.png')
  expect(await ran(page, server.origin)).toBeNull()
})

test('even when a proxy strips headers so that it is shown as a page, it runs nothing', {
  tag: '@everywhere',
}, async ({ page, server }) => {
  const { url } = await (await upload(server.origin, 'image/png', BOTH)).json()
  const stripped = async (keep: (name: string) => boolean) => {
    await page.route(`**${url}`, async (route) => {
      const response = await route.fetch()
      const headers = Object.entries(response.headers()).filter(([name]) => keep(name))
      const type = { 'content-type': 'text/html' }
      await route.fulfill({ response, headers: { ...Object.fromEntries(headers), ...type } })
    })
    await page.goto(server.origin + url)
    await expect(page.getByText('shown')).toBeVisible()
    await page.unroute(`**${url}`)
  }
  await stripped((name) => name !== 'content-disposition')
  expect(await ran(page, server.origin)).toBeNull()
  // Without our headers the code runs. Otherwise this test would prove nothing.
  await stripped((name) => name !== 'content-disposition' && name !== 'content-security-policy')
  expect(await ran(page, server.origin)).toContain(url)
})
