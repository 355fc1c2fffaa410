import { expect, it } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { createIncomingStore, type IncomingEvent, reduceIncoming } from './incoming'

const FIRST = 'first' as ItemId
const SECOND = 'second' as ItemId

it('a batch is shown by itself once, and again only when somebody asks', () => {
  const events: IncomingEvent[] = [
    { type: 'arrived', ids: [FIRST, SECOND] },
    { type: 'shown', id: FIRST },
    { type: 'passed', id: SECOND },
    { type: 'putAway' },
  ]
  let state = createIncomingStore().getState()
  const states = [state]
  for (const event of events) {
    state = reduceIncoming(state, event)
    states.push(state)
  }
  expect(states.map(({ shown, fresh }) => [shown, [...fresh]])).toEqual([
    [null, []],
    [null, [FIRST, SECOND]],
    [FIRST, [SECOND]],
    [FIRST, []],
    [null, []],
  ])
  expect(reduceIncoming(state, { type: 'shown', id: SECOND }).shown).toBe(SECOND)
})
