import { describe, expect, it } from 'vitest'
import { reduceScanner, type ScannerEvent, type ScannerState, wantsCamera } from './scanner-state'

const ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const SECRET = 'A'.repeat(43)
const closed: ScannerState = { status: 'closed' }

const scannerAfter = (...events: ScannerEvent[]) => events.reduce(reduceScanner, closed)
const open = [{ type: 'asked' }, { type: 'granted' }] as const
const read = (text: string) => ({ type: 'read', text }) as const

describe('the scanner', () => {
  it('opens once the camera is granted', () => {
    expect(scannerAfter({ type: 'asked' })).toEqual({ status: 'asking' })
    expect(scannerAfter(...open)).toEqual({ status: 'open', hint: null })
    expect(scannerAfter({ type: 'granted' })).toBe(closed)
  })

  it('closes when the camera is denied', () => {
    expect(scannerAfter({ type: 'asked' }, { type: 'denied' })).toEqual(closed)
  })

  it.each([
    `https://heliograph.example/?beam_id=${ID}`,
    `http://10.0.0.7:8080/?beam_id=${ID.toUpperCase()}&from=code#x`,
    `https://heliograph.example/?beam_id=${ID}#k=${SECRET}`,
    ID,
  ])('closes with the whole of %s', (text) => {
    expect(scannerAfter(...open, read(text))).toEqual({ status: 'closing', text })
    expect(scannerAfter(...open, read(text), { type: 'gone' })).toEqual(closed)
  })

  it.each([
    ['a page of somebody else', 'https://example.org/', /not from a beam/],
    ['an id of version 1', '9b2f1c34-6f0e-11ee-b962-0242ac120002', /not from a beam/],
    ['a link without a whole id', 'https://a.example/?beam_id=7c9e6679', /broken/],
    ['a link without its whole secret', `https://a.example/?beam_id=${ID}#k=${SECRET.slice(1)}`, /broken/],
  ])('names %s and goes on', (_what, text, hint) => {
    const state = scannerAfter(...open, read(text))
    expect(state).toEqual({ status: 'open', hint: expect.stringMatching(hint) })
    expect(reduceScanner(state, read(text))).toBe(state)
    expect(reduceScanner(state, read(ID))).toEqual({ status: 'closing', text: ID })
  })

  it('ignores codes while it closes', () => {
    const closing = scannerAfter(...open, read(ID))
    expect(reduceScanner(closing, read('https://example.org/'))).toBe(closing)
    expect(wantsCamera(closing)).toBe(false)
  })

  it('rests while the page is hidden and asks again when it is seen', () => {
    const resting = scannerAfter(...open, { type: 'hidden' })
    expect(wantsCamera(resting)).toBe(false)
    expect(reduceScanner(resting, { type: 'granted' })).toBe(resting)
    expect(reduceScanner(resting, { type: 'shown' })).toEqual({ status: 'asking' })
  })

  it('shows why there is no camera, until it is cancelled', () => {
    const failed = scannerAfter({ type: 'asked' }, { type: 'failed', why: 'No camera' })
    expect(failed).toEqual({ status: 'failed', why: 'No camera' })
    expect(reduceScanner(failed, { type: 'shown' })).toBe(failed)
    expect(reduceScanner(failed, { type: 'cancelled' })).toEqual(closed)
  })
})
