/** That the page is the one that was built: its fingerprint, and the hashes of what it loads. */
import { createHash } from 'node:crypto'
import { expect } from '@playwright/test'
import { says } from '../support/server.ts'
import { test } from '../support/stage.ts'

const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')

/** The lines of `heliograph assets`: hash and path. */
async function listed(): Promise<string[]> {
  return (await says('assets')).split('\n').filter((line) => /^[0-9a-f]{64} {2}/.test(line))
}

test('the page names the fingerprint that the program prints, which is the hash of its files', async ({
  device,
}) => {
  const [, fingerprint = ''] = /^# fingerprint of the app: ([0-9a-f]{64})$/m.exec(await says('assets')) ?? []
  const lines = (await listed()).filter((line) => !line.endsWith(' index.html'))
  expect(sha256(lines.map((line) => `${line}\n`).join(''))).toBe(fingerprint)
  const ada = await device('Ada')
  await ada.opensHome()
  await ada.page.getByRole('button', { name: 'Know More' }).click()
  const about = ada.page.getByRole('dialog', { name: 'About Heliograph' })
  await expect(about.getByText(fingerprint, { exact: true })).toBeVisible()
})

test('a server sends every file as the program lists it', async ({ server }) => {
  const lines = await listed()
  expect(lines.length).toBeGreaterThan(100)
  for (const line of lines) {
    const [hash = '', path = ''] = line.split('  ')
    const answer = await fetch(`${server.origin}/${path}`)
    expect(`${sha256(Buffer.from(await answer.arrayBuffer()))}  ${path}`).toBe(`${hash}  ${path}`)
  }
})

for (const part of ['script', 'style'] as const) {
  test(`a ${part} that was changed on its way does not run @everywhere`, async ({ device }) => {
    const ada = await device('Ada')
    const path = part === 'script' ? /\/assets\/index-[^/]+\.js$/ : /\/assets\/index-[^/]+\.css$/
    const mark = part === 'script' ? 'document.body.id = "changed"' : 'body { visibility: hidden }'
    await ada.page.route(path, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: `${await response.text()}\n${mark}\n` })
    })
    const isMarked = () =>
      ada.page.evaluate(
        () => document.body.id === 'changed' || getComputedStyle(document.body).visibility === 'hidden',
      )
    await ada.page.addInitScript(() => {
      const note = ({ target }: Event) => {
        if (target instanceof Element) document.documentElement.dataset.refused = target.localName
      }
      addEventListener('error', note, true)
    })
    await ada.opensHome()
    await expect(ada.page.locator(`[data-refused=${part === 'script' ? 'script' : 'link'}]`)).toBeAttached()
    expect(await isMarked()).toBe(false)
    // The control: a page that names no hashes takes it.
    await ada.page.route(`${ada.origin}/`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace(/ integrity="[^"]*"/g, '') })
    })
    await ada.opensHome()
    await expect.poll(isMarked).toBe(true)
  })
}
