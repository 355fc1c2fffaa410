// @vitest-environment jsdom
import { act, cleanup, createEvent, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../../protocol/bindings'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { DropZone } from './drop-zone'
import { AnyFileButtons, MediaButton } from './file-buttons'
import { named } from './named'

const shareFiles = vi.fn((_files: readonly File[]) => {})
const shareText = vi.fn((_text: string, _at?: unknown) => true)
const warn = vi.fn((_text: string) => {})
const keepHandle = vi.fn((_file: File, _handle: unknown) => {})

let stores: Stores

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  const session = { beamId: 'b' as BeamId, beamKey: null, beamName: '', expiresAt: 0 }
  stores.session.setState({ status: 'set', session }, true)
  const readsFolder = () => ({ found: () => {}, end: () => {} })
  const actions = { shareFiles, shareText, warn, keepHandle, readsFolder } as unknown as Actions
  render(
    <AppContext value={{ stores, actions }}>
      <MediaButton look="tall" />
      <AnyFileButtons />
      <DropZone />
    </AppContext>,
  )
})
afterEach(cleanup)

const file = (name: string, type: string) => new File(['x'], name, { type })
const sharedNames = () => shareFiles.mock.calls.flatMap(([files]) => files.map(({ name }) => name))
const CHOOSE = /^Choose files/
const picks = (label: string | RegExp, ...files: File[]) =>
  fireEvent.change(screen.getByLabelText(label), { target: { files } })

describe('a file dropped where nothing may be shared', () => {
  it.each(['dragover', 'drop'])('does not make the browser leave the page (%s)', (type) => {
    act(() => stores.session.setState({ status: 'none' }, true))
    const event = new Event(type, { bubbles: true, cancelable: true })
    Object.assign(event, { dataTransfer: { types: ['Files'], dropEffect: 'copy', files: [], items: [] } })
    act(() => void window.dispatchEvent(event))
    expect(event.defaultPrevented).toBe(true)
    expect(shareFiles).not.toHaveBeenCalled()
    expect(screen.queryByText(/Drop to share/)).toBeNull()
  })
})

describe('the picker of media', () => {
  it('asks for video, image and audio', () => {
    expect(screen.getByLabelText(CHOOSE).getAttribute('accept')).toBe('image/*,video/*,audio/*')
  })

  it('accepts them and shows why it refuses another file', () => {
    const song = file('song.mp3', 'audio/mpeg')
    picks(CHOOSE, file('sea.jpg', 'image/jpeg'), file('a.txt', 'text/plain'), song)
    expect(sharedNames()).toEqual(['sea.jpg', 'song.mp3'])
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      '“a.txt” is not a picture, video or recording. Choose “Any file” to share it.',
    )
  })

  it('shares nothing when there is nothing else', () => {
    picks(CHOOSE, file('a.txt', 'text/plain'), file('b', ''))
    expect(shareFiles).not.toHaveBeenCalled()
    expect(warn).toHaveBeenCalledOnce()
  })

  it('does not limit the picker for any file', () => {
    picks('Any file', file('a.txt', 'text/plain'))
    expect(sharedNames()).toEqual(['a.txt'])
    expect(warn).not.toHaveBeenCalled()
  })
})

describe('the picker that says where the files lie', () => {
  const handle = (name: string) => ({ kind: 'file', name, getFile: async () => file(name, '') })
  const gone = (name: string) => ({
    kind: 'file',
    name,
    getFile: async () => Promise.reject(new DOMException('', 'NotFoundError')),
  })
  const opens = (picker: () => Promise<unknown>) => vi.stubGlobal('showOpenFilePicker', vi.fn(picker))
  afterEach(() => vi.unstubAllGlobals())
  const press = () => fireEvent.click(screen.getByLabelText('Any file'))

  it('shares what is picked, keeps where it lies, and names what could not be read', async () => {
    opens(async () => [handle('a.txt'), gone('b.txt')])
    // The browser does not open its other picker.
    expect(press()).toBe(false)
    await waitFor(() => expect(sharedNames()).toEqual(['a.txt']))
    expect(keepHandle.mock.calls.map(([{ name }]) => name)).toEqual(['a.txt'])
    expect(warn).toHaveBeenCalledExactlyOnceWith('“b.txt” could not be read. Check that it is still there.')
  })

  it('shares nothing when it is closed', async () => {
    opens(() => Promise.reject(new DOMException('', 'AbortError')))
    press()
    await Promise.resolve()
    expect(shareFiles).not.toHaveBeenCalled()
  })

  it('gives way to the other picker where the browser refuses it', async () => {
    opens(() => Promise.reject(new DOMException('', 'SecurityError')))
    const clicks = vi.spyOn(HTMLInputElement.prototype, 'click')
    press()
    await waitFor(() => expect(clicks).toHaveBeenCalledOnce())
    expect(press()).toBe(true)
  })
})

describe('a drop', () => {
  const entry = (name: string, read: (done: (file: File) => void, fail: (why: Error) => void) => void) => ({
    webkitGetAsEntry: () => ({ name, isFile: true, isDirectory: false, file: read }),
  })

  it('shares what can be read and names what cannot', async () => {
    const items = [
      entry('good.txt', (done) => done(file('good.txt', 'text/plain'))),
      entry('bad.txt', (_done, fail) => fail(new DOMException('', 'NotReadableError'))),
    ]
    await act(async () => {
      fireEvent.drop(window, { dataTransfer: { types: ['Files'], items, files: [] } })
    })
    await waitFor(() => expect(sharedNames()).toEqual(['good.txt']))
    expect(warn).toHaveBeenCalledExactlyOnceWith('“bad.txt” could not be read. Check that it is still there.')
  })

  const drops = (target: Element | Window, data: Record<string, string>) => {
    const getData = (type: string) => data[type] ?? ''
    const event = new MouseEvent('drop', { bubbles: true, cancelable: true, clientX: 300, clientY: 200 })
    Object.assign(event, { dataTransfer: { types: Object.keys(data), getData, dropEffect: 'copy' } })
    act(() => void target.dispatchEvent(event))
    return event
  }

  it('shares a text where it was dropped', () => {
    const event = drops(window, { 'text/plain': 'Milk' })
    expect(event.defaultPrevented).toBe(true)
    expect(shareText).toHaveBeenCalledExactlyOnceWith('Milk', { at: { x: 300, y: 200 } })
  })

  it('shares each link as a note of its own', () => {
    const list = '# two pages\r\nhttps://a.example/\r\nhttps://b.example/\r\n'
    drops(window, { 'text/uri-list': list, 'text/plain': 'both' })
    expect(shareText.mock.calls.map(([text]) => text)).toEqual(['https://a.example/', 'https://b.example/'])
  })

  it('of a text on a field is left to the browser', () => {
    const field = document.body.appendChild(document.createElement('textarea'))
    expect(drops(field, { 'text/plain': 'Milk' }).defaultPrevented).toBe(false)
    expect(shareText).not.toHaveBeenCalled()
    field.remove()
  })

  it('of something dragged within the page shares nothing', () => {
    fireEvent.dragStart(document.body)
    expect(drops(window, { 'text/plain': 'Milk' }).defaultPrevented).toBe(true)
    expect(shareText).not.toHaveBeenCalled()
    fireEvent.dragEnd(document.body)
    drops(window, { 'text/plain': 'Milk' })
    expect(shareText).toHaveBeenCalledOnce()
  })

  describe('that is not made', () => {
    const drags = (
      type: 'dragEnter' | 'dragOver' | 'dragLeave',
      target: Element,
      relatedTarget: Element | null,
    ) => {
      const dataTransfer = { types: ['Files'], items: [], files: [] }
      const event = createEvent[type](target, { dataTransfer })
      Object.defineProperty(event, 'relatedTarget', { value: relatedTarget })
      fireEvent(target, event)
    }
    const isFramed = () => screen.queryByText(/^Drop to share/) !== null

    it('is framed from element to element, until it leaves the window', () => {
      const [one, other] = [document.createElement('p'), document.createElement('p')]
      document.body.append(one, other)
      drags('dragEnter', one, null)
      drags('dragEnter', other, one)
      drags('dragLeave', one, other)
      expect(isFramed()).toBe(true)
      drags('dragLeave', other, null)
      expect(isFramed()).toBe(false)
      one.remove()
      other.remove()
    })

    it('is no longer framed once a pointer moves, where it left from an element that was gone', () => {
      const gone = document.body.appendChild(document.createElement('p'))
      drags('dragEnter', gone, null)
      gone.remove()
      drags('dragLeave', gone, null)
      expect(isFramed()).toBe(true)
      fireEvent.pointerMove(window)
      expect(isFramed()).toBe(false)
    })
  })

  const dropsFile = (target: Element | Window) => {
    const dataTransfer = { types: ['Files'], items: [], files: [file('a.txt', '')] }
    return act(async () => void fireEvent.drop(target, { dataTransfer }))
  }

  it('of a file is taken after a drag that the page has prevented, which never ends', async () => {
    const prevent = (event: Event) => event.preventDefault()
    document.body.addEventListener('dragstart', prevent)
    fireEvent.dragStart(document.body)
    document.body.removeEventListener('dragstart', prevent)
    await dropsFile(window)
    expect(sharedNames()).toEqual(['a.txt'])
  })

  it('is taken after the drag of an element that was gone before the drag ended', async () => {
    fireEvent.dragStart(document.body)
    drops(window, { 'text/plain': 'Milk' })
    await dropsFile(window)
    expect(sharedNames()).toEqual(['a.txt'])
  })

  it('on a dialog shares no file with everybody', async () => {
    const dialog = document.body.appendChild(document.createElement('dialog'))
    // jsdom has no modal dialogs.
    const query = vi.spyOn(document, 'querySelector').mockReturnValue(dialog)
    await dropsFile(dialog)
    expect(shareFiles).not.toHaveBeenCalled()
    query.mockRestore()
    dialog.remove()
  })
})

it.each([
  [['a'], '“a”'],
  [['a', 'b'], '“a” and “b”'],
  [['a', 'b', 'c', 'd', 'e'], '“a”, “b”, “c” and 2 more'],
])('%j are named %s', (names, words) => expect(named(names)).toBe(words))
