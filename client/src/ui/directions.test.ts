/** Styles follow the direction of the page's language: they say start and end, never left and right. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const SOURCES = `${import.meta.dirname}/..`

/** What is the same in every language, by file. */
const EXCEPT: Readonly<Record<string, readonly string[]>> = {
  // Everybody sees the same canvas: its notes lie at coordinates, and its grid and frames with them.
  'features/canvas/canvas.module.css': ['left: 0'],
  'features/canvas/ground.module.css': ['inset: 0 -100px -100px 0'],
  // Moved by a transform to a point of the window.
  'features/canvas/context-menu.module.css': ['left: 0'],
  'features/canvas/newcomers-chip.module.css': ['left: 0'],
  // A check mark, which is drawn as a corner that is turned.
  'features/editor/editor-theme.module.css': ['border-width: 0 2px 2px 0'],
  'features/note/note-content.module.css': ['left: 4.5px', 'border-width: 0 2px 2px 0'],
  // The page's variables that say where a line begins, and where the insets of the screen are.
  'ui/tokens.css': [
    '--side: left',
    '--side: right',
    '--safe-start: env(safe-area-inset-left)',
    '--safe-end: env(safe-area-inset-right)',
    '--safe-start: env(safe-area-inset-right)',
    '--safe-end: env(safe-area-inset-left)',
  ],
}

/** In the middle, the two sides are alike. */
const MIDDLE = 'left: 50%'

const SIDE = /(?:^|[^a-z])(?:left|right)(?:[^a-z]|$)/

/** The properties of which four values go around the box, and the two of them that must be alike. */
const AROUND = /^(?:margin|padding|inset|border-width|scroll-margin|scroll-padding)$/

it('no style sheet says left or right', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.css'),
  )
  expect(files.length).toBeGreaterThan(80)
  const found = files.flatMap((file) =>
    declarationsOf(readFileSync(`${SOURCES}/${file}`, 'utf8'))
      .filter((declaration) => isPhysical(declaration) && !EXCEPT[file]?.includes(declaration))
      .map((declaration) => `${file}: ${declaration}`),
  )
  expect(found).toEqual([])
})

it.each([
  ['left: 24px', true],
  ['left: 50%', false],
  ['margin-right: 4px', true],
  ['text-align: left', true],
  ['border-top-left-radius: 4px', true],
  ['padding: 0 8px 0 14px', true],
  ['padding: 0 calc(1px + 2px) 4px calc(1px + 2px)', false],
  ['border-radius: 8px 0 0 8px', true],
  ['border-radius: 8px 8px 0 0', false],
  ['inset-inline-start: 24px', false],
])('%s: %s', (declaration, physical) => {
  expect(isPhysical(declaration)).toBe(physical)
})

/** Returns the declarations of a style sheet, without those of its comments. */
function declarationsOf(sheet: string): string[] {
  const code = sheet.replaceAll(/\/\*.*?\*\//gs, '')
  return [...code.matchAll(/[\w-]+:\s[^;{}]+(?=[;}])/g)].map(([found]) =>
    found.replaceAll(/\s+/g, ' ').trim(),
  )
}

function isPhysical(declaration: string): boolean {
  if (declaration === MIDDLE) return false
  const [property = '', value = ''] = declaration.split(/: (.*)/)
  if (SIDE.test(property) || SIDE.test(value)) return true
  const [first, second, third, fourth] = partsOf(value)
  if (fourth === undefined) return false
  if (property === 'border-radius') return first !== second || third !== fourth
  return AROUND.test(property) && second !== fourth
}

/** Splits a value at its spaces outside of parentheses. */
function partsOf(value: string): string[] {
  return value.match(/(?:[^\s(]|\((?:[^()]|\([^()]*\))*\))+/g) ?? []
}
