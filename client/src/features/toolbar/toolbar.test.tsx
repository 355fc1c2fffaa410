// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { Toolbar } from './toolbar'

const shareText = vi.fn()
const paste = vi.fn(async () => {})

/** There is no layout here, so nothing has a size to observe. */
class NoSizes {
  observe() {}
  disconnect() {}
}

beforeEach(() => {
  vi.clearAllMocks()
  vi.stubGlobal('ResizeObserver', NoSizes)
  const actions = { shareText, paste } as unknown as Actions
  render(
    <AppContext value={{ stores: createStores(), actions }}>
      <Toolbar onFiles={() => {}} onFolder={null} />
    </AppContext>,
  )
})
afterEach(cleanup)

const type = (text: string) => {
  fireEvent.click(screen.getByRole('button', { name: 'Message' }))
  const field = screen.getByRole('textbox', { name: 'Type a message' })
  fireEvent.change(field, { target: { value: text } })
  return field
}

describe('the toolbar', () => {
  it('sends a trimmed message by Enter and closes', () => {
    fireEvent.keyDown(type('  Dinner at eight '), { key: 'Enter' })
    expect(shareText).toHaveBeenCalledWith('Dinner at eight')
    expect(screen.queryByRole('textbox')).toBeNull()
  })

  it('breaks the line by Shift and Enter', () => {
    const field = type('Dinner')
    expect(fireEvent.keyDown(field, { key: 'Enter', shiftKey: true })).toBe(true)
    expect(shareText).not.toHaveBeenCalled()
  })

  it.each([
    ['is composing', { isComposing: true }],
    ['ended the composition just before, as Safari does', { keyCode: 229 }],
  ])('sends nothing by the Enter that %s', (_when, key) => {
    const field = type('かな')
    expect(fireEvent.keyDown(field, { key: 'Enter', ...key })).toBe(true)
    expect(shareText).not.toHaveBeenCalled()
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 })
    expect(shareText).toHaveBeenCalledWith('かな')
  })

  it('keeps the message when Esc ends a composition', () => {
    fireEvent.keyDown(type('かな'), { key: 'Escape', keyCode: 229 })
    expect(screen.getByRole('textbox')).toBeDefined()
  })

  it('sends no blank message', () => {
    const field = type('   ')
    expect(screen.getByRole('button', { name: 'Send' })).toHaveProperty('disabled', true)
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(shareText).not.toHaveBeenCalled()
  })

  it('closes by Esc and gives the focus back', () => {
    fireEvent.keyDown(type('Dinner'), { key: 'Escape' })
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Message' }))
  })

  it.each([
    ['Esc', () => fireEvent.keyDown(document, { key: 'Escape' })],
    ['a choice', () => fireEvent.click(screen.getByRole('menuitem', { name: 'Files' }))],
  ])('closes the Share menu by %s and gives the focus back', async (_by, close) => {
    const share = screen.getByRole('button', { name: 'Share' })
    fireEvent.click(share)
    const first = await screen.findByRole('menuitem', { name: 'Files' })
    await waitFor(() => expect(document.activeElement).toBe(first))
    close()
    expect(screen.queryByRole('menu')).toBeNull()
    expect(document.activeElement).toBe(share)
  })

  it('pastes', () => {
    fireEvent.click(screen.getByRole('button', { name: 'Paste' }))
    expect(paste).toHaveBeenCalledWith('home')
  })
})
