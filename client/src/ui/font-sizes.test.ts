/** Sizes of text follow the size that a person has set in the browser. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const SOURCES = `${import.meta.dirname}/..`
const IN_PX = /(?:font|font-size|line-height|--t-\d+)\s*:[^;}]*\dpx/g

it('no style sheet gives the size of a text in px', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  )
  expect(files.length).toBeGreaterThan(80)
  const found = files.flatMap((file) =>
    [...readFileSync(`${SOURCES}/${file}`, 'utf8').matchAll(IN_PX)].map(([rule]) => `${file}: ${rule}`),
  )
  expect(found).toEqual([])
})
