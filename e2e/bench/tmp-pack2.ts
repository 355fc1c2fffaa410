import { chromium } from '@playwright/test'
import { readdirSync } from 'node:fs'
import { CHROMIUM } from '../support/browsers.ts'
const browser = await chromium.launch({ ...(CHROMIUM as object) })
const page = await browser.newPage()
await page.goto('about:blank')
await page.setContent('<input type=file multiple>')
const paths = readdirSync('/tmp/many26').map((n) => `/tmp/many26/${n}`)
await page.locator('input').setInputFiles(paths)
console.log(await page.evaluate(async () => {
  const out: any = {}
  const t0 = performance.now()
  const files = [...(document.querySelector('input') as HTMLInputElement).files!]
  out.spread = performance.now() - t0
  for (const way of ['size', 'nosize']) {
    const some = way === 'size' ? files.slice(0, 3000) : files.slice(3000, 6000)
    const parts: Blob[] = []
    const t = performance.now(); let longest = 0
    for (let i = 0; i < some.length; i += 50) {
      const g = some.slice(i, i + 50)
      const a = performance.now()
      if (way === 'size') for (const { size } of g) void size
      parts.push(new Blob(g))
      longest = Math.max(longest, performance.now() - a)
      await new Promise<void>((r) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { port1.close(); r() }; port2.postMessage(null) })
    }
    out[way] = performance.now() - t
    out[way + 'longest'] = longest
    const u = performance.now()
    some.map(({ size, lastModified }) => size + lastModified)
    out[way + 'after'] = performance.now() - u
  }
  return out
}))
await browser.close()
