import { beforeEach, expect, it, vi } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import type { FileHandles, Found } from '../transport/file-handles'
import { KeptFiles } from './kept-files'

const A = 'a' as ItemId
const B = 'b' as ItemId
const file = new File(['abc'], 'a.bin')
const handle = {} as FileSystemFileHandle

let stores: Stores
let found: Record<string, Found | null>
let answer: File | null
let kept: KeptFiles
const keep = vi.fn(async () => {})
const forget = vi.fn(async () => {})
/** Offers what it is given, unless the file has changed. */
let hasChanged: boolean
const offer = vi.fn(async (id: ItemId, _file: File, _tells: boolean) => {
  if (!hasChanged) put({ type: 'offering', id, url: 'blob:a' })
})

const put = (event: TransfersEvent) =>
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
const transfer = (id: ItemId) => stores.transfers.getState().transfers[id]

beforeEach(() => {
  vi.clearAllMocks()
  stores = createStores()
  found = {}
  answer = file
  hasChanged = false
  const ask = async (id: ItemId) => {
    if (answer) found = { [A]: { is: 'readable', file }, [B]: { is: 'readable', file } }
    else found[id] = null
    return answer
  }
  const handles = { keep, forget, ask, find: async (id: ItemId) => found[id] ?? null }
  kept = new KeptFiles(stores, offer, async () => handles as unknown as FileHandles)
  for (const id of [A, B]) put({ type: 'lost', id, asks: false })
})

it('a file is kept with its item, and with where it lies if the browser says so', async () => {
  kept.shared(A, file)
  await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(A, file, undefined))
  kept.lies(file, handle)
  kept.shared(B, file)
  await vi.waitFor(() => expect(keep).toHaveBeenLastCalledWith(B, file, handle))
})

it('what a reload has taken is offered again without a press where it can still be read', async () => {
  found = { [A]: { is: 'readable', file } }
  await kept.lost([A, B])
  expect(offer).toHaveBeenCalledExactlyOnceWith(A, file, false)
  expect(transfer(B)).toEqual({ role: 'lost', asks: false, to: {} })
})

it('one press is enough for all files where the browser wants to be asked', async () => {
  found = { [A]: { is: 'asking' }, [B]: { is: 'asking' } }
  await kept.lost([A, B])
  expect(offer).not.toHaveBeenCalled()
  expect([transfer(A), transfer(B)]).toEqual([
    { role: 'lost', asks: true, to: {} },
    { role: 'lost', asks: true, to: {} },
  ])
  await kept.ask(A)
  expect([transfer(A)?.role, transfer(B)?.role]).toEqual(['sending', 'sending'])
})

it('a file that is denied, or has changed, must be chosen again', async () => {
  found = { [A]: { is: 'asking' } }
  await kept.lost([A])
  answer = null
  await kept.ask(A)
  expect(transfer(A)).toEqual({ role: 'lost', asks: false, to: {} })

  answer = file
  hasChanged = true
  await kept.ask(A)
  expect(offer).toHaveBeenCalledWith(A, file, true)
  expect(transfer(A)).toEqual({ role: 'lost', asks: false, to: {} })
})

it('a file that was chosen or deleted meanwhile is left alone', async () => {
  found = { [A]: { is: 'readable', file }, [B]: { is: 'asking' } }
  put({ type: 'offering', id: A, url: 'blob:b' })
  put({ type: 'forgotten', id: B })
  await kept.lost([A, B])
  expect(offer).not.toHaveBeenCalled()
  expect(transfer(B)).toBeUndefined()
})

it('where a file lies is forgotten with its item, and stays while only the beam is left', async () => {
  await kept.lost([])
  put({ type: 'forgotten', id: A })
  await vi.waitFor(() => expect(forget).toHaveBeenCalledExactlyOnceWith(A))
  put({ type: 'left' })
  await Promise.resolve()
  expect(forget).toHaveBeenCalledOnce()
})
