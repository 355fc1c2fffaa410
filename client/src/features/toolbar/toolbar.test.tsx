// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores } from '../../stores/stores'
import { type Actions, HouseContext } from '../actions'
import { Toolbar } from './toolbar'

const shareText = vi.fn()
const paste = vi.fn(async () => {})

beforeEach(() => {
  vi.clearAllMocks()
  const actions = { shareText, paste } as unknown as Actions
  render(
    <HouseContext value={{ stores: createStores(), actions }}>
      <Toolbar onFiles={() => {}} onFolder={null} />
    </HouseContext>,
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

  it('pastes', () => {
    fireEvent.click(screen.getByRole('button', { name: 'Paste' }))
    expect(paste).toHaveBeenCalledWith('home')
  })
})
