// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ComponentType, type ReactNode, Suspense, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { lazyPart } from '../ui/lazy-part'
import { ErrorBoundary } from './error-boundary'

beforeEach(() => {
  // React logs the errors that a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))

function Broken(): ReactNode {
  throw new Error('x is undefined')
}

describe('a page that cannot be drawn', () => {
  it('shows an error and links to other pages', () => {
    render(
      <ErrorBoundary>
        <Broken />
      </ErrorBoundary>,
    )
    expect(screen.getByRole('heading', { name: 'Something went wrong on this page' })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Load again' })).toBeDefined()
    expect(screen.getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/')
  })
})

const Editor = () => <p>The editor</p>

/** A part whose code loads only when it is asked for the given time. It then makes two attempts. */
function partThatComesAt(attempt: number): ComponentType<object> {
  let attempts = 0
  return lazyPart(
    async () => {
      attempts += 1
      if (attempts < 2 * attempt - 1) throw new TypeError('Importing a module script failed.')
      return { Editor }
    },
    (module) => module.Editor,
  )
}

/** A page with an editor, to see that the editor survives when other parts are mounted again. */
function PageWithEditor({ editor: Editor }: { editor: ComponentType<object> }) {
  const [open, setOpen] = useState(true)
  return (
    <>
      <p>The page</p>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      <ErrorBoundary onGoOn={() => setOpen(false)}>
        <Suspense>{open && <Editor />}</Suspense>
      </ErrorBoundary>
    </>
  )
}

const FAILED = { name: 'A part of the page could not be loaded' }

describe('a part that did not load', () => {
  it('is left out on request, and is loaded when it is requested again', async () => {
    render(<PageWithEditor editor={partThatComesAt(2)} />)
    await screen.findByRole('heading', FAILED)
    press('Go on without it')
    expect(screen.queryByRole('heading', FAILED)).toBeNull()
    expect(screen.getByText('The page')).toBeDefined()
    press('Open')
    await screen.findByText('The editor')
  })

  it('is loaded again on Try again', async () => {
    render(<PageWithEditor editor={partThatComesAt(3)} />)
    await screen.findByRole('heading', FAILED)
    press('Try again')
    await screen.findByRole('heading', FAILED)
    press('Try again')
    await screen.findByText('The editor')
  })

  it('does not affect the next page', async () => {
    const Space = partThatComesAt(2)
    const pageAt = (path: string) => (
      <ErrorBoundary page={path}>
        <Suspense>{path === '/space' ? <Space /> : <p>Home</p>}</Suspense>
      </ErrorBoundary>
    )
    const { rerender } = render(pageAt('/space'))
    await screen.findByRole('heading', FAILED)
    rerender(pageAt('/'))
    await screen.findByText('Home')
  })
})
