import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ItemId } from './bindings'
import { NoteVersions, versionOf } from './note-versions'
import { EMPTY_ROOT, richNoteMessage, withText } from './rich-note'

const note = 'note' as ItemId
const bags = { number: 0, text: 'bags', checked: true }
const maps = { number: 1, text: 'maps', checked: true }
const tick = { kind: 'ticks', ticks: [bags] } as const
const lacking = { ticks: [bags], edit: null }
const message = (text: string, base: unknown = null) =>
  richNoteMessage('Note', withText(EMPTY_ROOT, text), base === null ? null : versionOf(base)).message

const first = message('first')
const own = message('own', first)
let versions: NoteVersions
beforeEach(() => {
  versions = new NoteVersions()
  versions.made(note, own, tick)
})

describe('a version of this device', () => {
  it('is lacking in a version that was made from the one before', () => {
    expect(versions.seen(note, own)).toBeNull()
    expect(versions.seen(note, message('theirs', first))).toEqual(lacking)
  })

  it('is lacking only once', () => {
    const theirs = message('theirs', first)
    versions.seen(note, theirs)
    expect(versions.seen(note, theirs)).toBeNull()
  })

  it('is known to a version that was made from it, and to all made from that one', () => {
    const next = message('next', own)
    expect(versions.seen(note, next)).toBeNull()
    expect(versions.seen(note, message('and so on', next))).toBeNull()
  })

  it('is lacking in the version of a third device, whatever came between', () => {
    versions.seen(note, message('next', own))
    expect(versions.seen(note, message('third', first))).toEqual(lacking)
  })

  it('counts as known to a version that does not say what it was made from', () => {
    expect(versions.seen(note, message('plain'))).toBeNull()
  })

  it('is not made again when the server refuses it and the one before comes back', () => {
    expect(versions.seen(note, first)).toBeNull()
  })
})

describe('several versions of this device', () => {
  const second = message('second', own)
  beforeEach(() => versions.made(note, second, { kind: 'ticks', ticks: [maps] }))

  it('are all lacking in a version that was made from the one before them', () => {
    expect(versions.seen(note, message('theirs', first))).toEqual({ ticks: [bags, maps], edit: null })
  })

  it('are lacking only as far as the other device did not know them', () => {
    expect(versions.seen(note, message('theirs', own))).toEqual({ ticks: [maps], edit: null })
  })

  it('are known through the versions that came between them', () => {
    const next = message('next', second)
    expect(versions.seen(note, next)).toBeNull()
    const third = message('third', next)
    versions.made(note, third, tick)
    expect(versions.seen(note, message('theirs', third))).toBeNull()
  })

  it('are lacking in a version that was made from one that never came here', () => {
    expect(versions.seen(note, message('theirs', message('unseen')))).toEqual({
      ticks: [bags, maps],
      edit: null,
    })
  })

  it('are offered as the newest whole note, beside the ticks', () => {
    const [older, newer] = ['older', 'newer'].map((title) => ({ title, root: EMPTY_ROOT }))
    if (!older || !newer) throw new Error('unreachable')
    const third = message('third', second)
    versions.made(note, third, { kind: 'edit', note: older })
    versions.made(note, message('fourth', third), { kind: 'edit', note: newer })
    expect(versions.seen(note, message('theirs', second))).toEqual({
      ticks: [],
      edit: { kind: 'edit', note: newer },
    })
  })

  it('are remembered in a bounded number', () => {
    let before: unknown = second
    for (let count = 0; count < 300; count += 1) {
      const next = message(`${count}`, before)
      versions.made(note, next, tick)
      before = next
    }
    const theirs = versions.seen(note, message('theirs', first))
    expect(theirs?.ticks.length).toBeLessThanOrEqual(100)
  })
})

it('a message that was shown already is not read again', () => {
  const shown = { toJSON: vi.fn(() => 'theirs') }
  versions.seen(note, shown)
  const reads = shown.toJSON.mock.calls.length
  versions.seen(note, shown)
  expect(shown.toJSON).toHaveBeenCalledTimes(reads)
})

it('the name of a version differs with every change', () => {
  expect(versionOf(first)).toMatch(/^[0-9a-f]{16}$/)
  expect(versionOf(first)).not.toBe(versionOf(own))
})
