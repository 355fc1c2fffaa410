// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import type { FileItem } from '../../stores/cards'
import { reduceSaves } from '../../stores/saves'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import type { FileView } from '../transfer/file-view'
import { BatchFiles } from './batch-files'

afterEach(cleanup)

const file = (name: string) => ({
  item: { id: name as ItemId, content: { kind: 'file', name, size: 1, category: 'file' } } as FileItem,
  view: {
    url: `blob:${name}`,
    rows: [{ device: null, status: 'done', actions: [], way: null }],
  } as unknown as FileView,
  media: null,
})

it('each file says which one its Save saves, and that it is being saved into the kept folder', () => {
  const stores = createStores()
  const saveHere = vi.fn()
  render(
    <AppContext value={{ stores, actions: { saveHere } as unknown as Actions }}>
      <BatchFiles files={[file('a.txt'), file('b.txt')]} on="page" label="2 files" />
    </AppContext>,
  )
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('aria-label'))).toEqual([
    'Save a.txt',
    'Save b.txt',
  ])
  act(() => stores.savePlace.setState({ status: 'kept', name: 'picked' }, true))
  fireEvent.click(screen.getByRole('link', { name: 'Save b.txt' }))
  expect(saveHere).toHaveBeenCalledExactlyOnceWith('b.txt')
  const save = { status: 'saving', saved: 0, of: 1, bytes: 0, size: 1, isCut: false } as const
  const saving = { type: 'saving', id: 'b.txt' as ItemId, save } as const
  act(() => stores.saves.setState((state) => reduceSaves(state, saving), true))
  expect(screen.getByText('Saving...').getAttribute('aria-disabled')).toBe('true')
})

it('files of the same name are told apart by their place, and are saved under their name', () => {
  const stores = createStores()
  const same = (id: string) => {
    const shown = file('same.txt')
    return { ...shown, item: { ...shown.item, id: id as ItemId } }
  }
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <BatchFiles files={[same('1'), file('a.txt'), same('2')]} on="page" label="3 files" />
    </AppContext>,
  )
  const links = screen.getAllByRole('link')
  expect(links.map((link) => link.getAttribute('aria-label'))).toEqual([
    'Save same.txt, 1 of 3',
    'Save a.txt',
    'Save same.txt, 3 of 3',
  ])
  expect(links.map((link) => link.getAttribute('download'))).toEqual(['same.txt', 'a.txt', 'same.txt'])
})
