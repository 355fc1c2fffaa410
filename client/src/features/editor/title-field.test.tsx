// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { createRef } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { TitleField } from './title-field'

afterEach(cleanup)

it.each([
  ['is composing', { isComposing: true }, 0],
  ['ended the composition just before, as Safari does', { keyCode: 229 }, 0],
  ['stands alone', { keyCode: 13 }, 1],
])('goes on to the text by the Enter that %s: %j, %i times', (_when, key, times) => {
  const onDone = vi.fn()
  render(<TitleField ref={createRef()} title="かな" onTitle={() => {}} onDone={onDone} />)
  fireEvent.keyDown(screen.getByRole('textbox', { name: 'Title' }), { key: 'Enter', ...key })
  expect(onDone).toHaveBeenCalledTimes(times)
})

it('is one line of text, however it is pasted', () => {
  const onTitle = vi.fn()
  render(<TitleField ref={createRef()} title="" onTitle={onTitle} onDone={() => {}} />)
  fireEvent.change(screen.getByRole('textbox', { name: 'Title' }), { target: { value: 'Cabin \n weekend' } })
  expect(onTitle).toHaveBeenCalledWith('Cabin weekend')
})
