// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { NO_SEARCH } from '../../stores/search'
import { createStores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { ItemList } from './item-list'

/** Enough items that most are far from the screen. */
const MANY = 300

class Unheard {
  observe() {}
  disconnect() {}
}

/** Reports what is near the screen, in place of the browser's observer. */
let tell: (target: Element, isIntersecting: boolean) => void
const observed = new Set<Element>()

// The page creates its observer once, so there is one for all tests.
beforeAll(() => {
  class Observer {
    constructor(callback: (entries: object[]) => void) {
      tell = (target, isIntersecting) => act(() => callback([{ target, isIntersecting }]))
    }
    observe = (element: Element) => observed.add(element)
    unobserve = (element: Element) => observed.delete(element)
    disconnect = () => {}
  }
  vi.stubGlobal('IntersectionObserver', Observer)
  vi.stubGlobal('ResizeObserver', Unheard)
})
afterEach(cleanup)

const textItem = (at: number): Item => ({
  id: `item-${at}` as ItemId,
  seq: at,
  from: null,
  at: 0,
  content: { kind: 'text', text: `number ${at}` },
  message: `number ${at}`,
  extra: 'text',
  note: null,
})

function showsMany() {
  const stores = createStores()
  stores.items.setState({ items: Array.from({ length: MANY }, (_, at) => textItem(at)) })
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <ItemList />
    </AppContext>,
  )
  return stores
}

const entry = (name: string) => {
  const found = document.querySelector(`[aria-label="${name}"]`)?.closest('li')
  if (!found) throw new Error(`${name} is in no list`)
  return found
}
const drawn = () =>
  document.querySelectorAll('li button[aria-label="Delete"], li button[aria-label="Copy"]').length

describe('a long list of items', () => {
  it('draws a few, and keeps the height and the name of all', () => {
    showsMany()
    expect(document.querySelectorAll('li')).toHaveLength(MANY)
    expect(observed.size).toBe(MANY)
    expect(drawn()).toBeGreaterThan(0)
    expect(drawn()).toBeLessThan(30)
    expect(entry('Text, number 0').style.height).toBe('76px')
  })

  it('draws cards near the screen, and replaces far ones by their height', () => {
    showsMany()
    const far = entry('Text, number 100')
    tell(far, true)
    expect(far.querySelector('button')).not.toBeNull()
    expect(far.style.height).toBe('')
    vi.spyOn(far, 'offsetHeight', 'get').mockReturnValue(310)
    tell(far, false)
    expect(far.querySelector('button')).toBeNull()
    expect(far.style.height).toBe('310px')
  })

  it('keeps the card with the focus', () => {
    showsMany()
    const far = entry('Text, number 100')
    tell(far, true)
    far.querySelector('button')?.focus()
    tell(far, false)
    expect(far.querySelector('button')).not.toBeNull()
  })

  it('draws a card that has just arrived', () => {
    const stores = showsMany()
    act(() => stores.items.setState(({ items }) => ({ items: [...items, textItem(MANY)] })))
    expect(entry(`Text, number ${MANY}`).querySelector('button')).not.toBeNull()
  })

  it('scrolls to the item that is pointed out, and makes it flash', () => {
    const seen: string[] = []
    HTMLElement.prototype.scrollIntoView = function scrollIntoView() {
      seen.push(`scrolled to ${this.textContent || this.firstElementChild?.ariaLabel}`)
    }
    HTMLElement.prototype.animate = function animate() {
      seen.push(`flashed ${this.getAttribute('aria-label')}`)
      return {} as Animation
    }
    const stores = showsMany()
    act(() => stores.pointedOut.setState({ id: 'item-100' as ItemId, times: 1 }))
    expect(seen.at(-1)).toBe('flashed Text, number 100')
    expect(seen).toHaveLength(2)

    act(() => stores.search.setState({ found: new Set(['item-1' as ItemId]) }))
    act(() => {
      stores.pointedOut.setState({ id: 'item-200' as ItemId, times: 2 })
      stores.search.setState(NO_SEARCH)
    })
    expect(seen.slice(2)).toEqual([expect.stringMatching('scrolled'), 'flashed Text, number 200'])
  })
})
