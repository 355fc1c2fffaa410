// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import { Component, type ReactNode, Suspense } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { askAgain, lazyPart, loadable } from './lazy-part'

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

it('is loaded a second time at once, because a change of network ends what is loading', async () => {
  const load = vi.fn().mockRejectedValueOnce(new TypeError('Load failed')).mockResolvedValue(MODULE)
  show(lazyPart(load, (module: typeof MODULE) => module.Part))
  await screen.findByText('The part')
  expect(load).toHaveBeenCalledTimes(2)
})

it('is not loaded a third time by itself', async () => {
  const load = vi.fn().mockRejectedValue(new TypeError('Importing a module script failed.'))
  const Part = lazyPart(load, (module: typeof MODULE) => module.Part)
  show(Part)
  await screen.findByText('Failed')
  cleanup()
  show(Part)
  await screen.findByText('Failed')
  expect(load).toHaveBeenCalledTimes(2)
})

it('is loaded again on request after a failure', async () => {
  const load = vi
    .fn()
    .mockRejectedValueOnce(new TypeError('Importing a module script failed.'))
    .mockRejectedValueOnce(new TypeError('Importing a module script failed.'))
    .mockResolvedValue(MODULE)
  const Part = lazyPart(load, (module: typeof MODULE) => module.Part)
  show(Part)
  await screen.findByText('Failed')
  cleanup()
  askAgain()
  show(Part)
  await screen.findByText('The part')
  expect(load).toHaveBeenCalledTimes(3)
})

describe('a module that did not come', () => {
  it('is loaded anew by the next call', async () => {
    const load = vi.fn().mockRejectedValueOnce(new TypeError('Load failed')).mockResolvedValue(MODULE)
    const loadAnew = loadable(load)
    await expect(loadAnew()).rejects.toThrow('Load failed')
    expect(await loadAnew()).toBe(MODULE)
  })

  it('is asked for under another address where the browser remembers the failed one', async () => {
    const address = `${location.origin}/assets/part.js`
    const load = vi
      .fn()
      .mockRejectedValue(new TypeError(`error loading dynamically imported module: ${address}`))
    const loadAnew = loadable(load)
    await expect(loadAnew()).rejects.toThrow(address)
    await expect(loadAnew()).rejects.toThrow()
    expect(load).toHaveBeenCalledOnce()
  })
})
