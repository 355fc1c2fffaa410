import { chromium, firefox } from '@playwright/test'
import { readdirSync } from 'node:fs'
import { CHROMIUM, FIREFOX } from '../support/browsers.ts'
const browser = process.argv[2] === 'ff' ? await firefox.launch({ ...(FIREFOX as object) }) : await chromium.launch({ ...(CHROMIUM as object) })
for (const way of ['now', 'join', 'g1', 'g2', 's1', 's2', 'a1', 'a2', 'g1', 's1', 's2', 'a1']) {
const page = await browser.newPage()
await page.goto('about:blank')
await page.setContent('<input type=file multiple>')
const paths = readdirSync('/tmp/many26').map((n) => `/tmp/many26/${n}`)
await page.locator('input').setInputFiles(paths)
const result = await page.evaluate(async (way) => {
  const files = [...(document.querySelector('input') as HTMLInputElement).files!]
  const t = performance.now()
  let whole: Blob
  if (way === 'now') whole = new File(files.map((f) => f.slice(0, f.size)), 'x')
  else if (way === 'joinonly') whole = new File(files, 'x')
  else if (way === 'join') {
    const blobs = []
    for (let i = 0; i < files.length; i += 100) {
      const group = files.slice(i, i + 100)
      group.map((f) => [f.size, f.lastModified])
      blobs.push(new Blob(group))
    }
    whole = new File(blobs, 'x')
  } else {
    const n = Number(way.slice(1))
    const kinds: Record<string, string> = {
      g: `onmessage = ({data}) => { const blobs = []; const r = []; for (let i = 0; i < data.length; i += 100) { const g = data.slice(i, i + 100); for (const f of g) r.push([f.size, f.lastModified]); blobs.push(new Blob(g)) } postMessage([new Blob(blobs), r]) }`,
      s: `onmessage = ({data}) => { const fr = new FileReaderSync(); const r = []; const parts = []; for (const f of data) { const b = fr.readAsArrayBuffer(f); parts.push(b); r.push([b.byteLength, f.lastModified]) } postMessage([new Blob(parts), r]) }`,
      a: `onmessage = async ({data}) => { const parts = []; let next = 0; await Promise.all(Array.from({length: 32}, async () => { while (next < data.length) { const i = next++; parts[i] = await data[i].arrayBuffer() } })); const r = data.map((f) => f.lastModified); postMessage([new Blob(parts), r]) }`,
    }
    const src = kinds[way[0]!]!
    const url = URL.createObjectURL(new Blob([src]))
    const workers = Array.from({ length: n }, () => new Worker(url))
    const parts: any = await Promise.all(workers.map((w, i) => new Promise((ok) => { w.onmessage = (e) => ok(e.data[0]); w.postMessage(files.slice(i * files.length / n, (i + 1) * files.length / n)) })))
    whole = new File(parts, 'x')
  }
  const packed = performance.now() - t
  let bytes = new ArrayBuffer(0); for (let i = 0; i < whole.size; i += 1048576) bytes = await whole.slice(i, i + 1048576).arrayBuffer()
  return [way, Math.round(packed), whole.size, bytes.byteLength, Math.round(performance.now() - t - packed)].join(' ')
}, way)
console.log(result)
await page.close()
}
await browser.close()
