import { expect, it } from 'vitest'
import { shortName } from './short-name'

it('a name that fits is shown whole', () => {
  const name = `${'a'.repeat(36)}.pdf`
  expect(shortName(name)).toBe(name)
})

it('a longer name is shortened in the middle and keeps its ending', () => {
  expect(shortName(`Minutes of the ${'very '.repeat(20)}long meeting 2041.pdf`)).toBe(
    'Minutes of the very very…eeting 2041.pdf',
  )
})

it('no letter is cut in two', () => {
  expect(shortName('🏔'.repeat(50))).toBe(`${'🏔'.repeat(24)}…${'🏔'.repeat(15)}`)
})
