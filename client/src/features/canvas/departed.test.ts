import { expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { Departed } from './departed'

const ids = (...names: string[]) => names as ItemId[]

it('a note that went is remembered for as long as Undo may bring it back', () => {
  const departed = new Departed()
  expect(departed.among(ids('a', 'b', 'c'), 0)).toEqual([])
  expect(departed.among(ids('b'), 100)).toEqual(ids('a', 'c'))
  expect(departed.among(ids('a', 'b', 'd'), 200)).toEqual(ids('c'))
  expect(departed.among(ids('a', 'b', 'd'), 10_100)).toEqual(ids('c'))
  expect(departed.among(ids('a', 'b', 'd'), 10_101)).toEqual([])
})
