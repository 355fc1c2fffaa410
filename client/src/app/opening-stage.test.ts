import { expect, it, vi } from 'vitest'
import type { DeviceId, ItemId, LiveItem } from '../protocol/bindings'
import { type Item, liveItem } from '../protocol/item'
import { type ItemsEvent, type ItemsState, reduceItems } from '../stores/items'
import { ClearChannel } from './beam-channel'
import { type Opener, OpeningStage, unopened } from './opening-stage'

const live = (id: string, seq: number): LiveItem => ({
  id: id as ItemId,
  seq,
  from: 'd' as DeviceId,
  at: seq,
  extra: 'text',
  message: id,
})

/** An opener that opens each item when the test says so. */
class SlowOpener implements Opener {
  readonly asked = new Map<string, { open(): void; fail(): void }>()

  open(item: LiveItem): Promise<Item> {
    return new Promise((resolve, reject) => {
      const open = () => resolve(liveItem(item, null))
      this.asked.set(item.id, { open, fail: () => reject(new Error('no key')) })
    })
  }

  came(): void {}
  isDeleted: Opener['isDeleted'] = () => true

  opens(id: string): void {
    this.asked.get(id)?.open()
  }
}

function stageWith(opener: Opener) {
  const state = { items: [], epoch: null } as ItemsState
  const delivered: ItemsEvent[] = []
  const shown = { state, delivered, batches: 0 }
  const stage = new OpeningStage(opener, (events) => {
    shown.batches += 1
    delivered.push(...events)
    shown.state = events.reduce(reduceItems, shown.state)
  })
  return { stage, shown }
}

const received = (id: string, seq: number) => ({ type: 'received', item: live(id, seq), note: null }) as const
const turn = () => new Promise((resolve) => setTimeout(resolve))

it('keeps the order when a later arrival is opened first', async () => {
  const opener = new SlowOpener()
  const { stage, shown } = stageWith(opener)
  stage.push(received('a', 1))
  await turn()
  stage.push(received('b', 2))
  stage.push({ type: 'deleted', message: 'a', id: 'a' as ItemId })
  await turn()
  expect(shown.delivered).toEqual([])
  opener.opens('a')
  await vi.waitFor(() => expect(opener.asked.has('b')).toBe(true))
  opener.opens('b')
  await vi.waitFor(() => expect(shown.delivered).toHaveLength(3))
  expect(shown.delivered.map(({ type }) => type)).toEqual(['received', 'received', 'deleted'])
  expect(shown.state.items.map(({ id }) => id)).toEqual(['b'])
})

it('opens simultaneous arrivals in parallel, and delivers them at once', async () => {
  const opener = new SlowOpener()
  const { stage, shown } = stageWith(opener)
  const items = [live('a', 1), live('b', 2)]
  stage.push({ type: 'synced', epoch: 'e', oldest: 0, items, markOf: () => null, isStored: false })
  await turn()
  opener.opens('b')
  await turn()
  expect(shown.batches).toBe(0)
  opener.opens('a')
  await vi.waitFor(() => expect(shown.batches).toBe(1))
  expect(shown.state.items.map(({ id }) => id)).toEqual(['a', 'b'])
})

it('shows an item that cannot be opened with a message', async () => {
  const opener = new SlowOpener()
  const { stage, shown } = stageWith(opener)
  stage.push(received('a', 1))
  await turn()
  opener.asked.get('a')?.fail()
  await vi.waitFor(() => expect(shown.state.items).toHaveLength(1))
  expect(shown.state.items[0]).toMatchObject({ id: 'a', seq: 1, content: { text: unopened() } })
})

it('e4_takes_nothing_away_for_a_deletion_that_cannot_be_checked, and delivers what comes behind it', async () => {
  const opener = new SlowOpener()
  opener.isDeleted = async () => {
    throw new Error('The worker does not answer.')
  }
  const { stage, shown } = stageWith(opener)
  stage.push(received('a', 1))
  opener.opens('a')
  stage.push({ type: 'deleted', message: 'a', id: 'a' as ItemId })
  stage.push(received('b', 2))
  await vi.waitFor(() => expect(opener.asked.has('b')).toBe(true))
  opener.opens('b')
  await vi.waitFor(() => expect(shown.state.items.map(({ id }) => id)).toEqual(['a', 'b']))
})

it('delivers nothing after the beam was left', async () => {
  const opener = new SlowOpener()
  const { stage, shown } = stageWith(opener)
  stage.push(received('a', 1))
  await turn()
  stage.push(received('b', 2))
  stage.end()
  opener.opens('a')
  await turn()
  expect(shown.delivered).toEqual([])
  expect(opener.asked.has('b')).toBe(false)
})

it('reads clear text', async () => {
  const { stage, shown } = stageWith(new ClearChannel(() => expect.fail('Nothing is sent.')))
  stage.push(received('a', 1))
  await vi.waitFor(() =>
    expect(shown.state.items[0]).toMatchObject({ content: { kind: 'text', text: 'a' }, note: null }),
  )
})
