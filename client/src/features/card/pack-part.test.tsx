// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import type { Item, ItemContent } from '../../protocol/item'
import { placeFiles } from '../../protocol/manifest'
import { reduceSaves, type Save } from '../../stores/saves'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { FileSize } from '../transfer/file-title'
import type { FileView } from '../transfer/file-view'
import { PackPart } from './pack-part'

const ID = 'pack' as ItemId
const ME = 'me' as DeviceId
const LIST_BYTES = 500_000

const manifest = { files: 2, bytes: LIST_BYTES, folder: true }
const content: Extract<ItemContent, { kind: 'file' }> = {
  kind: 'file',
  name: 'P',
  size: LIST_BYTES + 2_000_000,
  type: '',
  category: 'file',
  url: null,
  manifest,
}
const item = (from: DeviceId): Item => ({
  id: ID,
  seq: 1,
  from,
  at: 0,
  content,
  message: null,
  extra: '',
  note: null,
})
/** The server has it, or it was received. */
const here = { url: 'blob:a', rows: [{ device: null, status: 'done' }] } as unknown as FileView

let stores: Stores
const actions = { saveAll: vi.fn(), savePacked: vi.fn(), stopSaving: vi.fn() }

beforeEach(() => {
  stores = createStores()
  stores.devices.setState({ me: ME })
  const files = ['P/a', 'P/b'].map((path) => ({ path, size: 1_000_000, type: '', modified: 0 }))
  const list = { files: placeFiles(files, LIST_BYTES), folders: [] }
  stores.packs.setState({ lists: { [ID]: list } })
})
afterEach(cleanup)

function shows(from = 'ada' as DeviceId, view = here) {
  render(
    <AppContext value={{ stores, actions: actions as unknown as Actions }}>
      <PackPart item={item(from)} view={view} on="page" />
    </AppContext>,
  )
}

const tell = (save: Save | null) =>
  act(() =>
    stores.saves.setState(
      (state) => reduceSaves(state, save ? { type: 'saving', id: ID, save } : { type: 'ended', id: ID }),
      true,
    ),
  )
const SAVING = { status: 'saving', saved: 0, of: 2, bytes: 1_500_000, size: 2_000_000, isCut: false } as const

it('gives the focus of its button to Cancel while it is saved, and back', () => {
  shows()
  screen.getByRole('button', { name: 'Save all' }).focus()
  tell({ status: 'waiting' })
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  tell(SAVING)
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Cancel' }))
  tell(null)
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Choose…' }))
})

it('takes the focus from nothing else', async () => {
  shows()
  const button = screen.getByRole('button', { name: 'Save all' })
  button.focus()
  // A press beside it.
  button.blur()
  await Promise.resolve()
  tell(SAVING)
  expect(document.activeElement).toBe(document.body)
})

it('shows how many bytes are saved, and that it waits where the connection was cut', () => {
  shows()
  tell(SAVING)
  expect(screen.getByRole('progressbar').getAttribute('value')).toBe('0.75')
  expect(screen.getByText('1.5 of 2.0 MB')).toBeDefined()
  expect(screen.getByText('Saving 1 of 2')).toBeDefined()
  tell({ ...SAVING, isCut: true })
  expect(screen.getByText('Waiting to go on')).toBeDefined()
})

it('can be saved by who shared it where the server has it, and not while it is only offered', () => {
  shows(ME)
  expect(screen.getByRole('button', { name: 'Save all' })).toBeDefined()
  cleanup()
  shows(ME, { url: 'blob:own', rows: [{ device: 'bob', status: 'done' }] } as unknown as FileView)
  expect(screen.queryByRole('button', { name: 'Save all' })).toBeNull()
})

it('has the size of its files, without their list', () => {
  const { container } = render(<FileSize content={content} view={here} />)
  expect(container.textContent).toBe('2 files · 2.0 MB')
  cleanup()
  const row = { device: null, status: 'moving', bytes: LIST_BYTES + 1_000_000 }
  const moving = render(
    <FileSize content={content} view={{ url: null, rows: [row] } as unknown as FileView} />,
  )
  expect(moving.container.textContent).toBe('2 files · 1.0 of 2.0 MB')
})
