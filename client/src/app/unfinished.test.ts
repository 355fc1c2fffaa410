import { beforeEach, expect, it } from 'vitest'
import type { BeamId, ItemId } from '../protocol/bindings'
import type { UnfinishedFile } from '../protocol/unfinished-file'
import { createStores, type Stores } from '../stores/stores'
import { ofOtherBeams } from '../stores/unfinished'
import type { EngineCommand } from '../transport/engine-messages'
import type { Transfers } from '../transport/transfers'
import { askedFiles } from './marked-files'
import { createUnfinished, learnUnfinished } from './unfinished'

const HERE = 'here' as BeamId
const THERE = 'there' as BeamId
const waits = (id: string, beam: BeamId, usedAt: number): UnfinishedFile => ({
  id: id as ItemId,
  name: `${id}.bin`,
  beam,
  size: 100,
  bytes: 62,
  usedAt,
  isElsewhere: false,
})

let stores: Stores
let told: EngineCommand[]
let actions: ReturnType<typeof createUnfinished>

beforeEach(() => {
  stores = createStores()
  told = []
  const transfers = { tell: (command: EngineCommand) => void told.push(command) } as unknown as Transfers
  actions = createUnfinished({ stores, transfers })
})

const ids = () => stores.unfinished.getState().files.map(({ id }) => id)

it('the list of what waits is asked for as soon as a page opens, and the newest is the first', () => {
  expect(told).toEqual([{ do: 'list' }])
  learnUnfinished(stores, [waits('old', THERE, 1), waits('new', THERE, 2)])
  expect(ids()).toEqual(['new', 'old'])
})

it('what waits for other beams is told apart from what moves in this one', () => {
  learnUnfinished(stores, [waits('a', HERE, 1), waits('b', THERE, 2)])
  expect(ofOtherBeams(stores.unfinished.getState(), HERE).map(({ id }) => id)).toEqual(['b'])
  expect(ofOtherBeams(stores.unfinished.getState(), null)).toHaveLength(2)
})

it('what a person removes leaves the list and the disk, and is asked for no more', () => {
  askedFiles.note('b' as ItemId)
  learnUnfinished(stores, [waits('a', THERE, 1), waits('b', THERE, 2)])
  actions.discardUnfinished('b' as ItemId)
  expect(told.at(-1)).toEqual({ do: 'forget', id: 'b' })
  expect(ids()).toEqual(['a'])
  expect(askedFiles.has('b' as ItemId)).toBe(false)
})
