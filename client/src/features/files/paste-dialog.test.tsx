// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { PasteHost } from './paste-host'

const shareFolders = vi.fn()
const shareFiles = vi.fn()
const pasteText = vi.fn()

let stores: Stores

beforeEach(async () => {
  vi.clearAllMocks()
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  stores = createStores()
  const readsFolder = () => ({ found: () => {}, end: () => {} })
  const actions = { shareFiles, shareFolders, pasteText, readsFolder } as unknown as Actions
  render(
    <AppContext value={{ stores, actions }}>
      <PasteHost />
    </AppContext>,
  )
  act(() => stores.pasting.setState({ kind: 'asking', screen: 'space' }, true))
  await screen.findByRole('dialog', { name: 'Paste' })
})
afterEach(cleanup)

const field = () => screen.getByLabelText('Paste here')
const isOpen = () => screen.queryByLabelText('Paste here') !== null
const clipboard = (text: string, files: File[] = [], items: unknown[] = []) => ({
  clipboardData: {
    items,
    files,
    types: ['text/plain'],
    getData: (type: string) => (type === 'text/plain' ? text : ''),
  },
})

describe('the field to paste into', () => {
  it('shares a pasted text at once', () => {
    fireEvent.paste(field(), clipboard('hello'))
    expect(pasteText).toHaveBeenCalledExactlyOnceWith('hello', 'space', '')
    expect(isOpen()).toBe(false)
  })

  it('shares pasted files', () => {
    const picture = new File(['x'], 'a.png')
    fireEvent.paste(field(), clipboard('', [picture]))
    expect(shareFiles).toHaveBeenCalledExactlyOnceWith([picture])
    expect(isOpen()).toBe(false)
  })

  it('f16_shares_a_pasted_folder_with_its_tree', async () => {
    const createReader = () => ({ readEntries: (done: (entries: unknown[]) => void) => done([]) })
    const entry = { name: 'leer', isFile: false, isDirectory: true, createReader }
    // What a browser has among the files is no file that can be read.
    const pasted = clipboard('', [new File([], 'leer')], [{ webkitGetAsEntry: () => entry }])
    fireEvent.paste(field(), pasted)
    await waitFor(() =>
      expect(shareFolders).toHaveBeenCalledExactlyOnceWith(
        [{ name: 'leer', files: [], folders: ['leer'] }],
        {},
      ),
    )
    expect(shareFiles).not.toHaveBeenCalled()
  })

  it('shares what a keyboard has inserted when the person says so', () => {
    fireEvent.change(field(), { target: { value: 'from the keyboard' } })
    fireEvent.click(screen.getByText('Share'))
    expect(pasteText).toHaveBeenCalledExactlyOnceWith('from the keyboard', 'space')
    expect(isOpen()).toBe(false)
  })

  it('shares nothing when it is cancelled', () => {
    fireEvent.click(screen.getByText('Cancel'))
    expect([pasteText.mock.calls, shareFiles.mock.calls]).toEqual([[], []])
    expect(stores.pasting.getState()).toEqual({ kind: 'none' })
  })
})
