import { expect, it } from 'vitest'
import { joinHint } from './join-hint'

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'

it.each([
  ['', 'hint', 'The ID, its link, or a short code of six characters.'],
  ['k7m', 'hint', '3 characters to go.'],
  ['K7M-P3', 'hint', '1 character to go.'],
  ['k7m-p3x', 'hint', 'Looking up the code…'],
  ['hello', 'hint', 'This is neither an ID nor a short code. A whole link works too.'],
  ['https:', 'hint', 'This is neither an ID nor a short code. A whole link works too.'],
  ['K7M-P0X', 'error', 'Short codes have none of 0, O, 1, I and L.'],
  ['ab12cd', 'hint', 'This is no short code. As an ID it lacks 30 characters.'],
  [ID.slice(0, 7), 'hint', '29 characters to go. A whole link works too.'],
  [ID.slice(0, 28), 'hint', '8 characters to go. A whole link works too.'],
  [` ${ID.slice(0, 35)}`, 'hint', '1 character to go. A whole link works too.'],
  [ID, 'hint', 'Joining…'],
  [`x${ID.slice(1)}`, 'error', 'This is not a beam ID.'],
  [`${ID}0`, 'error', 'This is not a beam ID.'],
  [`http://a.example/?beam_id=${ID.slice(0, 9)}`, 'hint', 'The link is not whole yet.'],
  [`http://a.example/?beam_id=${ID}`, 'hint', 'Joining…'],
  [`http://a.example/?beam_id=${ID}#k=${'A'.repeat(42)}`, 'hint', 'The link is not whole yet.'],
  [`http://a.example/?beam_id=${ID}#k=${'A'.repeat(43)}`, 'hint', 'Joining…'],
])('after %j it says %s %j', (text, kind, words) => expect(joinHint(text)).toEqual({ kind, text: words }))
