// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Beam, BeamId } from '../../protocol/bindings'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { BeamMenu } from './beam-menu'

const beam = { beam_id: 'b' as BeamId, beam_name: 'Cabin' } as Beam

beforeEach(() => {
  // jsdom has the element without its methods.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true
  }
  HTMLDialogElement.prototype.close = function close() {
    this.open = false
  }
  render(
    <AppContext value={{ stores: createStores(), actions: { beams: {} } as unknown as Actions }}>
      <BeamMenu beam={beam} />
    </AppContext>,
  )
  fireEvent.click(screen.getByRole('button', { name: 'More' }))
})
afterEach(cleanup)

const more = () => screen.getByRole('button', { name: 'More' })

describe("a beam's menu", () => {
  it('takes the focus, and gives it back by Esc', () => {
    expect(document.activeElement).toBe(screen.getByRole('menuitem', { name: 'Rename' }))
    fireEvent.keyDown(document, { key: 'Escape' })
    expect(screen.queryByRole('menu')).toBeNull()
    expect(document.activeElement).toBe(more())
  })

  it('has given the focus back before a dialog takes it, so that the dialog returns it there', () => {
    let before: Element | null = null
    HTMLDialogElement.prototype.showModal = function showModal() {
      before = document.activeElement
      this.open = true
    }
    fireEvent.click(screen.getByRole('menuitem', { name: 'Delete Beam' }))
    expect(screen.getByRole('alertdialog')).toBeDefined()
    expect(before).toBe(more())
  })

  it('leaves the focus where a press beside it puts it', () => {
    const elsewhere = document.body.appendChild(document.createElement('button'))
    act(() => elsewhere.focus())
    expect(screen.queryByRole('menu')).toBeNull()
    expect(document.activeElement).toBe(elsewhere)
    elsewhere.remove()
  })
})
