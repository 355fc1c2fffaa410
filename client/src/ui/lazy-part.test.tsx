// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { Component, type ReactNode, Suspense } from 'react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { askAgain, lazyPart } from './lazy-part'

class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render() {
    return this.state.failed ? <p>Failed</p> : this.props.children
  }
}

const MODULE = { Part: () => <p>The part</p> }

const show = (Part: React.ComponentType<object>) =>
  render(
    <Boundary>
      <Suspense>
        <Part />
      </Suspense>
    </Boundary>,
  )

beforeEach(() => {
  // React logs the errors that a boundary catches.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

it('is loaded once, however often it is drawn', async () => {
  const load = vi.fn(async () => MODULE)
  const Part = lazyPart(load, (module) => module.Part)
  show(Part)
  await screen.findByText('The part')
  cleanup()
  show(Part)
  await screen.findByText('The part')
  expect(load).toHaveBeenCalledOnce()
})

it('is not loaded again by itself', async () => {
  const load = vi.fn().mockRejectedValue(new TypeError('Importing a module script failed.'))
  const Part = lazyPart(load, (module: typeof MODULE) => module.Part)
  show(Part)
  await screen.findByText('Failed')
  cleanup()
  show(Part)
  await screen.findByText('Failed')
  expect(load).toHaveBeenCalledOnce()
})

it('is loaded again on request after a failure', async () => {
  const load = vi
    .fn()
    .mockRejectedValueOnce(new TypeError('Importing a module script failed.'))
    .mockResolvedValue(MODULE)
  const Part = lazyPart(load, (module: typeof MODULE) => module.Part)
  show(Part)
  await screen.findByText('Failed')
  cleanup()
  askAgain()
  show(Part)
  await screen.findByText('The part')
  expect(load).toHaveBeenCalledTimes(2)
})
