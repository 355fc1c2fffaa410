import { expect, it } from 'vitest'
import { beamName, createdText, shortId } from './beam-text'

it('a beam without a name is untitled', () => {
  expect(beamName(' ')).toBe('Untitled Beam')
  expect(beamName('Cabin')).toBe('Cabin')
})

it('an id is shown by its first eight characters', () => {
  expect(shortId('7c9e6679-7425-40de-944b-e07fc1f90ae7')).toBe('7c9e6679…')
})

it('a card says when the beam was made', () => {
  expect(createdText(new Date(2026, 10, 20, 12).getTime())).toBe('Created Nov 20, 2026')
})
