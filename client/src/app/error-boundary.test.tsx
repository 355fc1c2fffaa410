// @vitest-environment jsdom
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ErrorBoundary } from './error-boundary'

let error: Error | null

function Page() {
  if (error) throw error
  return <p>The page</p>
}

const show = () =>
  render(
    <ErrorBoundary>
      <Page />
    </ErrorBoundary>,
  )

beforeEach(() => {
  // React tells of what it caught.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

describe('a page that cannot be drawn', () => {
  it('says so and leads on', () => {
    error = new Error('x is undefined')
    show()
    expect(screen.getByRole('heading', { name: 'Something went wrong on this page' })).toBeDefined()
    expect(screen.getByRole('button', { name: 'Load again' })).toBeDefined()
    expect(screen.getByRole('link', { name: 'Home' }).getAttribute('href')).toBe('/')
  })

  it('goes on without a part that did not come', () => {
    error = new TypeError('Failed to fetch dynamically imported module: /assets/scanner.js')
    show()
    expect(screen.getByRole('heading', { name: 'A part of the page could not be loaded' })).toBeDefined()
    error = null
    fireEvent.click(screen.getByRole('button', { name: 'Go on without it' }))
    expect(screen.getByText('The page')).toBeDefined()
  })
})
