/** No text, drawing or name from another device runs code on this one. The page's own policy is on. */
import { expect } from '@playwright/test'
import { hasAccount, savesBeam } from '../support/account.ts'
import type { Device } from '../support/device.ts'
import { RawClient } from '../support/raw-client.ts'
import { test } from '../support/stage.ts'

const RUN = 'window.ran=(window.ran||0)+1'

/** Each of these runs code on some page that trusts it. */
const CORPUS = [
  `<script>${RUN}</script>`,
  `<img src=x onerror="${RUN}">`,
  `<svg/onload="${RUN}">`,
  `<svg><animate onbegin="${RUN}" attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<details open ontoggle="${RUN}">`,
  `"autofocus onfocus="${RUN}`,
  `'-${RUN}-'`,
  `</textarea></title><script>${RUN}</script>`,
  `javascript:${RUN}`,
  ` jav\tascript:${RUN}`,
  `data:text/html,<script>${RUN}</script>`,
  `https://example.org/"onmouseover="${RUN}`,
  `[press](javascript:${RUN})`,
  `{{constructor.constructor('${RUN}')()}}`,
] as const

/** Two halves, so few items that all of them are drawn. */
const HALVES = [
  ['first', CORPUS.slice(0, 8)],
  ['second', CORPUS.slice(8)],
] as const

/** Whether the server accepts a text as kind; longer ones, and those with control characters, are refused (S7). */
function isKind(text: string): boolean {
  return new TextEncoder().encode(text).length <= 64 && !/\p{Cc}/u.test(text)
}

/** Returns one item for each way in which a text can arrive. */
function itemsOf(text: string): { message: unknown; extra: string }[] {
  const plain = { type: 'text', text, version: 1 }
  const children = [
    plain,
    { type: 'link', url: text, title: text, target: text, rel: text, children: [plain] },
  ]
  const picture = { type: 'image', src: text, altText: text, width: 60, height: 60, maxWidth: 60, version: 1 }
  const paragraph = { type: 'paragraph', version: 1, children: [...children, picture] }
  const content = { root: { type: 'root', version: 1, children: [paragraph] } }
  return [
    { message: text, extra: 'text' },
    ...(isKind(text) ? [{ message: text, extra: text }] : []),
    { message: { html: text }, extra: 'html' },
    { message: { file: { name: text, size: 8, type: 'image/svg+xml' } }, extra: 'image' },
    { message: { file: { name: 'a.png', size: 8, type: text, url: text } }, extra: 'image' },
    { message: { title: text, content }, extra: 'lexi_note' },
  ]
}

async function runsNothing({ page }: Device): Promise<void> {
  // Triggers whatever waits for a pointer or the focus.
  for (const card of (await page.getByRole('article').all()).slice(0, 12)) {
    await card.dispatchEvent('mouseover')
    await card.focus()
  }
  await isHarmless({ page })
}

/**
 * Expects that what is drawn has run no code, has no link elsewhere, and has no element that the page does not make.
 */
async function isHarmless({ page }: Pick<Device, 'page'>): Promise<void> {
  expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined()
  const protocols = await page.evaluate(() => [
    ...new Set([...document.querySelectorAll('a')].map(({ protocol }) => protocol)),
  ])
  for (const protocol of protocols) {
    expect(['http:', 'https:', 'mailto:', 'sms:', 'tel:', 'about:', 'blob:']).toContain(protocol)
  }
  expect(await page.locator('iframe, object, embed, article script, article animate').count()).toBe(0)
}

/** Scrolls through the list and checks each screen, because a phone draws only what is near. */
async function goesThrough(device: Device): Promise<void> {
  for (const [at, card] of (await device.page.getByRole('article').all()).entries()) {
    await card.scrollIntoViewIfNeeded()
    await expect(card.locator('*').first()).toBeAttached()
    if (at % 6 === 0) await isHarmless(device)
  }
}

const CASES = HALVES.flatMap(([half, part]) => [false, true].map((phone) => ({ half, part, phone })))

for (const { half, part, phone } of CASES) {
  const where = phone ? 'phone' : 'desktop'
  test(`hostile texts, names, links and notes run nothing on a ${where}, ${half} half`, async ({
    device,
  }) => {
    const ada = await device('Ada')
    const link = await ada.startsBeam()
    const mallory = await RawClient.connects(link)
    mallory.send({ type: 'auth', message: null, extra: { v: 1, caps: ['files'], name: CORPUS[1] } })
    await mallory.next('auth_success')
    for (const item of part.flatMap(itemsOf)) mallory.send({ type: 'share_clipboard', ...item })
    mallory.send({ type: 'share_clipboard', message: 'the last of them' })

    const bob = await device('Bob', { phone })
    const asked: string[] = []
    bob.page.on('request', (request) => {
      // Data and blob URLs belong to the page itself.
      if (request.url().startsWith('http')) asked.push(new URL(request.url()).origin)
    })
    bob.page.on('dialog', (dialog) => asked.push(dialog.message()))
    await bob.opens(link)
    await expect(bob.page.getByRole('listitem').filter({ hasText: 'the last of them' })).toBeAttached()
    await expect(bob.page.getByRole('article')).toHaveCount(part.flatMap(itemsOf).length + 1)
    // Each item is drawn whole, and not as a plate.
    if (phone) await goesThrough(bob)
    else await expect(bob.page.locator('article:empty')).toHaveCount(0)
    await runsNothing(bob)
    expect(new Set(asked)).toEqual(new Set([new URL(link).origin]))

    await bob.page
      .getByRole('button', { name: /devices/ })
      .first()
      .click()
    await expect(bob.page.getByText(CORPUS[1]).first()).toBeVisible()
    await runsNothing(bob)
    mallory.leaves()
  })
}

test('a beam with a hostile name runs nothing', async ({ device }) => {
  const ada = await device('Ada')
  await hasAccount(ada)
  await savesBeam(ada, CORPUS[1], 'a note')
  await runsNothing(ada)
  await ada.page.goto(`${ada.origin}/beams`)
  await expect(ada.page.getByText(CORPUS[1]).first()).toBeVisible()
  await runsNothing(ada)
})
