/** What a server or a stranger can choose is compared with a secret by `isEqual` alone: `===` ends at the first difference. */
import { expect, it } from 'vitest'

const SOURCES = import.meta.glob<string>(['./*.ts', '!./*.test.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const SECRET = String.raw`\w*(?:secret|proof|mac|psk|commitment|beamKey|fileKey)\w*`
const BARE = new RegExp(
  String.raw`\b${SECRET}[\w.?()[\]]*\s*[!=]==?\s*(?!null\b|undefined\b|=)|[!=]==?\s*[\w.?(]*\b${SECRET}`,
  'i',
)

it.each([
  'proof === shown',
  'toBase64Url(proof) !== shown',
  'shown === toBase64Url(keys.mac)',
  'x == beamKey',
])('%s is such a comparison', (code) => {
  expect(BARE.test(code)).toBe(true)
})

it('no secret is compared otherwise', () => {
  const lines = Object.entries(SOURCES).flatMap(([file, source]) =>
    source.split('\n').map((line) => `${file}: ${line.trim()}`),
  )
  expect(lines.length).toBeGreaterThan(500)
  expect(lines.filter((line) => BARE.test(line))).toEqual([])
})
