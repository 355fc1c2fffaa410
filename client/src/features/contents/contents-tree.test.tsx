// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it } from 'vitest'
import { Choice, packTree } from '../../protocol/pack-tree'
import { ContentsTree } from './contents-tree'

afterEach(cleanup)

const paths = Array.from({ length: 100 }, (_, at) => `${String.fromCharCode(97 + (at % 26))}${at}`)
const files = ['in/1', 'in/2', ...paths].map((path, start) => ({
  path,
  size: 1,
  type: '',
  modified: 0,
  start,
}))
const tree = packTree({ files, folders: [] })

function Shown() {
  const [choice, setChoice] = useState(() => Choice.ofAll(tree))
  return <ContentsTree tree={tree} choice={choice} onChoose={setChoice} label="All" />
}

function shown() {
  render(<Shown />)
  const list = screen.getByRole('tree')
  const press = (key: string) => {
    fireEvent.keyDown(list, { key })
    fireEvent.scroll(list)
  }
  const active = () => document.getElementById(list.getAttribute('aria-activedescendant') ?? '')
  /** As the browser does with a press: it moves the focus, unless the page prevents that. */
  const click = (element: HTMLElement) => {
    const isAllowed = fireEvent.mouseDown(element)
    if (isAllowed) element.closest<HTMLElement>('[tabindex]')?.focus()
    fireEvent.click(element)
  }
  return { list, press, active, click }
}

it('keeps the focus after a press on a row, which goes when the keys lead far away from it', () => {
  const { list, press, active, click } = shown()
  const [row] = screen.getAllByRole('treeitem')
  if (!row) throw new Error('no row')
  click(row)
  press('End')
  expect(row.isConnected).toBe(false)
  expect(document.activeElement).toBe(list)
  expect(active()?.getAttribute('aria-posinset')).toBe('101')
  press('Home')
  expect(active()?.textContent).toContain('in')
})

it('is one tab stop, and names no row that is not there', () => {
  const { list, press } = shown()
  expect([...list.querySelectorAll('[tabindex="0"], [tabindex="-1"][role="treeitem"]')]).toEqual([])
  press('End')
  list.scrollTop = 0
  fireEvent.scroll(list)
  expect(list.hasAttribute('aria-activedescendant')).toBe(false)
})

it('opens and closes a folder also by a press, as a screen reader on a phone makes it', () => {
  const { click, active } = shown()
  const fold = screen.getByRole('button', { name: 'in', expanded: true })
  click(fold)
  expect(screen.getByRole('button', { name: 'in' }).getAttribute('aria-expanded')).toBe('false')
  expect(screen.queryByRole('treeitem', { name: /^1/ })).toBeNull()
  expect(active()?.getAttribute('aria-checked')).toBe('true')
  expect(screen.getByRole('treeitem', { name: 'in 2 B' })).toBeDefined()
})
