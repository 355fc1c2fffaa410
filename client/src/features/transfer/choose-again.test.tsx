// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { fileItemMessage, pendingItem } from '../../protocol/item'
import type { ManifestFacts } from '../../protocol/manifest'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { ChooseAgain } from './choose-again'

// This page has no picker of folders without it.
vi.hoisted(() => Object.assign(HTMLInputElement.prototype, { webkitdirectory: false }))

const A = 'a' as ItemId
const shareAgain = vi.fn()
let stores: Stores

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
})
afterEach(cleanup)

/** Shows what the row of a lost item asks for. @param path that of its first file */
function show(manifest?: ManifestFacts, path = 'a.txt') {
  const item = pendingItem(A, ...messageOf(manifest), 0)
  if (item.content.kind !== 'file') throw new Error('no file')
  const file = { path, size: 1, type: '', modified: 7, start: 0 }
  stores.packs.setState({ lists: { [A]: { files: [file], folders: [] } } })
  render(
    <AppContext value={{ stores, actions: { shareAgain } as unknown as Actions }}>
      <ChooseAgain actions={['choose']} item={item} content={item.content} on="page" />
    </AppContext>,
  )
  return screen.getByLabelText('Choose Photos again')
}

function messageOf(manifest?: ManifestFacts): [unknown, string] {
  const { message, extra } = fileItemMessage({
    name: 'Photos',
    size: 9,
    type: '',
    ...(manifest && { manifest }),
  })
  return [message, extra]
}

const isFolderPicker = (input: HTMLElement) => input.hasAttribute('webkitdirectory')
const takesMany = (input: HTMLElement) => input.hasAttribute('multiple')

it('one file is chosen again as one', () => {
  const input = show()
  expect(screen.getByRole('button').textContent).toBe('Choose the file again')
  expect([isFolderPicker(input), takesMany(input)]).toEqual([false, false])
})

it('f17_many_files_are_chosen_again_together', () => {
  const input = show({ files: 1, bytes: 8 })
  expect(screen.getByRole('button').textContent).toBe('Choose the files again')
  expect([isFolderPicker(input), takesMany(input)]).toEqual([false, true])
  const file = new File(['x'], 'a.txt')
  fireEvent.change(input, { target: { files: [file] } })
  expect(shareAgain).toHaveBeenCalledExactlyOnceWith([A], { files: [file], folders: [] })
})

it.each([
  ['a folder', { files: 1, bytes: 8, folder: true }],
  ['folders', { files: 1, bytes: 8 }],
])('f17_%s_of_one_item_are_chosen_again_as_such', (_which, manifest) => {
  const input = show(manifest, 'Photos/a.txt')
  expect(screen.getByRole('button').textContent).toBe('Choose the folder again')
  expect(isFolderPicker(input)).toBe(true)
  const file = Object.assign(new File(['x'], 'a.txt'), { webkitRelativePath: 'Photos/a.txt' })
  fireEvent.change(input, { target: { files: [file] } })
  const photos = { name: 'Photos', files: [{ path: 'Photos/a.txt', file }], folders: [] }
  expect(shareAgain).toHaveBeenCalledExactlyOnceWith([A], { files: [], folders: [photos] })
})
