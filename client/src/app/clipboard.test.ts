// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId, ItemId } from '../protocol/bindings'
import { pendingItem } from '../protocol/item'
import { bodyText } from '../protocol/rich-note'
import { createStores, type Stores } from '../stores/stores'
import { createClipboard } from './clipboard'
import type { Context } from './context'
import { createToaster } from './toaster'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

let stores: Stores
let shared: string[]
let mayShare: boolean
let actions: ReturnType<typeof createClipboard>

const SECRET = 'A'.repeat(43)
/** The page was loaded in a sealed beam. */
const seals = (known: { invite?: string }) => {
  const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: 0, isSealed: true, ...known }
  stores.session.setState({ status: 'set', session }, true)
  stores.encryption.setState({ kind: 'unknown', isSuspected: false }, true)
}
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
const holds = (text: string) => vi.stubGlobal('navigator', { clipboard: { readText: async () => text } })

beforeEach(() => {
  vi.unstubAllGlobals()
  stores = createStores()
  shared = []
  mayShare = true
  const sharing: Parameters<typeof createClipboard>[1] = {
    shareNote: (root) => mayShare && shared.push(`note: ${bodyText(root)}`) > 0,
    shareText: (text) => mayShare && shared.push(text) > 0,
    shareFiles: (files) => shared.push(...files.map(({ name }) => name)) > 0,
  }
  const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: 0 }
  stores.session.setState({ status: 'set', session }, true)
  actions = createClipboard({ stores, toaster: createToaster(stores.toasts) } as Context, sharing)
})

describe('pasting', () => {
  it('shares the clipboard, trimmed', async () => {
    holds('  hello ')
    await actions.paste('home')
    expect(shared).toEqual(['hello'])
    expect(toasts()).toEqual([])
  })

  it('confirms on the space screen', async () => {
    holds('hello')
    await actions.paste('space')
    expect(toasts()).toEqual(['Content pasted successfully!'])
  })

  it('says nothing of the kind when nothing could be shared', async () => {
    mayShare = false
    holds('hello')
    await actions.paste('space')
    expect(toasts()).toEqual([])
  })

  it.each([
    ['home', '', 'Your clipboard is empty!'],
    ['home', ' \n ', 'Your clipboard is empty!'],
    ['space', '', 'Clipboard is empty!'],
    ['space', ' \n ', 'Clipboard is empty!'],
  ] as const)('on %s of %j says: %s', async (screen, nothing, sentence) => {
    holds(nothing)
    await actions.paste(screen)
    expect(shared).toEqual([])
    expect(toasts()).toEqual([sentence])
  })

  it('points a text out that is here already, and shares it only when the server refused it before', async () => {
    holds('hello')
    const item = pendingItem('i' as ItemId, 'hello', 'text', 0)
    stores.items.setState({ items: [item] })
    await actions.paste('home')
    expect(shared).toEqual([])
    expect(stores.pointedOut.getState()).toEqual({ id: 'i', times: 1 })
    await actions.paste('home')
    expect(stores.pointedOut.getState()).toEqual({ id: 'i', times: 2 })
    stores.items.setState({ items: [{ ...item, refusal: 'The beam is full.' }] })
    await actions.paste('home')
    expect(shared).toEqual(['hello'])
  })

  it.each([
    ['may not be read', { clipboard: { readText: () => Promise.reject(new Error('denied')) } }],
    ['is not there, as on plain http', {}],
  ])('asks the person to paste into a field, and logs it, when the clipboard %s', async (_why, navigator) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    vi.stubGlobal('navigator', navigator)
    await actions.paste('space')
    expect(warn).toHaveBeenCalled()
    expect(toasts()).toEqual([])
    expect(stores.pasting.getState()).toEqual({ kind: 'asking', screen: 'space' })
  })
})

describe('a clipboard that tells its types', () => {
  const item = (parts: Record<string, string>) => ({
    types: Object.keys(parts),
    getType: async (type: string) => new Blob([parts[type] ?? ''], { type }),
  })
  const clipboardOf = (read: () => Promise<object[]>) => {
    const clipboard = { read: vi.fn(read), readText: vi.fn(async () => 'asked twice') }
    vi.stubGlobal('navigator', { clipboard })
    return clipboard
  }

  it.each([
    ['text', [item({ 'text/plain': ' hello ', 'text/html': '<b>hello</b>' })], ['hello']],
    ['the text of several things', [item({ 'text/plain': 'a' }), item({ 'text/plain': 'b' })], ['a\nb']],
    ['a picture', [item({ 'image/png': 'dots' })], ['Pasted picture.png']],
    [
      'a table, as a note',
      [
        item({
          'text/plain': 'a\tb',
          'text/html': '<table><tr><td>a</td><td>b</td></tr></table>',
          'image/png': 'dots',
        }),
      ],
      ['note: a\tb'],
    ],
    ['text that was also drawn', [item({ 'text/plain': 'a', 'image/png': 'dots' })], ['a']],
  ])('is read once: %s', async (_what, items, expected) => {
    const clipboard = clipboardOf(async () => items)
    await actions.paste('home')
    expect(shared).toEqual(expected)
    expect(clipboard.read).toHaveBeenCalledOnce()
    expect(clipboard.readText).not.toHaveBeenCalled()
  })

  it('is not read a second time after a refusal', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const clipboard = clipboardOf(() => Promise.reject(new DOMException('', 'NotAllowedError')))
    await actions.paste('home')
    expect(clipboard.readText).not.toHaveBeenCalled()
    expect(toasts()).toEqual([])
  })

  it.each([
    ['nothing', async () => []],
    ['nothing that a page may have', () => Promise.reject(new DOMException('', 'DataError'))],
  ])('is empty with %s', async (_what, read) => {
    clipboardOf(read)
    await actions.paste('home')
    expect(toasts()).toEqual(['Your clipboard is empty!'])
  })
})

describe('copying the id of the beam', () => {
  it.each([
    [true, 'Beam ID copied successfully'],
    [false, 'Failed to copy Beam ID!'],
  ])('says so (the browser lets it: %s)', async (isLet, sentence) => {
    const writeText = vi.fn(() => (isLet ? Promise.resolve() : Promise.reject(new Error('denied'))))
    vi.stubGlobal('navigator', { clipboard: { writeText } })
    document.execCommand = () => false
    await actions.copyBeamId()
    expect(writeText).toHaveBeenCalledWith(BEAM)
    expect(toasts()).toEqual([sentence])
  })
})

describe('the share sheet', () => {
  it('gets the title, the text and the link of the specification', async () => {
    const share = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { share })
    await actions.shareLink()
    const url = `${location.origin}/?beam_id=${BEAM}`
    expect(share).toHaveBeenCalledWith({ title: 'Heliograph Beam', text: 'Join my Beam on Heliograph', url })
  })

  it('e1 gets the secret with the link, and so does Copy link; the bare id has none', async () => {
    const share = vi.fn(() => Promise.resolve())
    const writeText = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { share, clipboard: { writeText } })
    seals({ invite: SECRET })
    await actions.shareLink()
    await actions.copyLink()
    await actions.copyBeamId()
    const url = `${location.origin}/?beam_id=${BEAM}#k=${SECRET}`
    expect(share).toHaveBeenCalledWith({ title: 'Heliograph Beam', text: 'Join my Beam on Heliograph', url })
    expect(writeText.mock.calls).toEqual([[url], [BEAM]])
  })

  it('e1 gets no link without its secret while that is looked up after a reload', async () => {
    const share = vi.fn(() => Promise.resolve())
    const writeText = vi.fn(() => Promise.resolve())
    vi.stubGlobal('navigator', { share, clipboard: { writeText } })
    seals({})
    await actions.shareLink()
    await actions.copyLink()
    expect(share).not.toHaveBeenCalled()
    expect(writeText).not.toHaveBeenCalled()
    // A device that came by the id never had it.
    stores.encryption.setState({ kind: 'locked', isSuspected: true, mayShareClear: false }, true)
    await actions.copyLink()
    expect(writeText).toHaveBeenCalledWith(`${location.origin}/?beam_id=${BEAM}`)
  })

  it.each([
    ['is none', {}],
    ['is only the name of one', { share: undefined }],
  ])('is missed in words where there %s', async (_what, navigator) => {
    vi.stubGlobal('navigator', navigator)
    const alert = vi.spyOn(window, 'alert').mockImplementation(() => {})
    await actions.shareLink()
    expect(alert).toHaveBeenCalledWith('Sharing is not supported on this device/browser.')
  })
})
