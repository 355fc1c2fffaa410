import { beforeEach, describe, expect, it } from 'vitest'
import type { ItemId } from './bindings'
import { NoteVersions, versionOf } from './note-versions'
import { EMPTY_ROOT, richNoteMessage, withText } from './rich-note'

const note = 'note' as ItemId
const tick = { kind: 'tick', tick: { number: 0, text: 'bags', checked: true } } as const
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
    expect(versions.seen(note, message('theirs', first))).toBe(tick)
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
    expect(versions.seen(note, message('third', first))).toBe(tick)
  })

  it('counts as known to a version that does not say what it was made from', () => {
    expect(versions.seen(note, message('plain'))).toBeNull()
  })

  it('is not made again when the server refuses it and the one before comes back', () => {
    expect(versions.seen(note, first)).toBeNull()
  })
})

it('the name of a version differs with every change', () => {
  expect(versionOf(first)).toMatch(/^[0-9a-f]{16}$/)
  expect(versionOf(first)).not.toBe(versionOf(own))
})
