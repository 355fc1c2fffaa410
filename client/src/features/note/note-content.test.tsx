// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readNoteState } from '../../protocol/note-state'
import { NoteContent } from './note-content'

const item = (text: string, checked: boolean) => ({
  type: 'listitem',
  checked,
  children: [{ type: 'text', text }],
})
const list = { type: 'list', listType: 'check', children: [item('Bags', true), item('Torches', false)] }
const root = readNoteState({ root: { type: 'root', children: [list] } })
if (!root) throw new Error('the state is refused')
const onTick = vi.fn()

beforeEach(() => onTick.mockClear())
afterEach(cleanup)

describe('a check list', () => {
  it('has boxes with the names of their items, and says what was pressed', () => {
    render(<NoteContent root={root} tone="page" onTick={onTick} />)
    expect(screen.getByRole('checkbox', { name: 'Bags' }).ariaChecked).toBe('true')
    fireEvent.click(screen.getByRole('checkbox', { name: 'Torches' }))
    expect(onTick).toHaveBeenCalledExactlyOnceWith({ number: 1, text: 'Torches', checked: true })
  })

  it('has pictures of boxes for who may only read', () => {
    render(<NoteContent root={root} tone="page" />)
    expect(screen.queryByRole('checkbox')).toBeNull()
    expect(screen.getByRole('img', { name: 'Done' })).toBeTruthy()
    expect(screen.getByRole('img', { name: 'Not done' })).toBeTruthy()
  })
})
