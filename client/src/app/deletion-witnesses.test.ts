import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { WitnessMessage } from '../protocol/deletion-witness'
import { DeletionWitnesses } from './deletion-witnesses'

const [ADA, BOB] = ['ada', 'bob'] as DeviceId[]
const [BREAD, LEMONS] = ['bread', 'lemons'] as ItemId[]
if (!ADA || !BOB || !BREAD || !LEMONS) throw new Error('unreachable')

let others: DeviceId[]
let told: { to: DeviceId; message: WitnessMessage }[]
let witnesses: DeletionWitnesses

beforeEach(() => {
  vi.useFakeTimers()
  others = [ADA, BOB]
  told = []
  witnesses = new DeletionWitnesses({
    others: () => others,
    tell: (to, message) => told.push({ to, message }),
    isDeleted: (id) => id === BREAD,
  })
})

afterEach(() => vi.useRealTimers())

const answers = (from: DeviceId, ids: readonly ItemId[], round = 1) =>
  witnesses.hear(from, { have: 'deleted', round, ids: [...ids] })

it('e4_asks_every_other_device_about_all_that_the_server_has_just_deleted', async () => {
  const both = Promise.all([witnesses.confirm(BREAD), witnesses.confirm(LEMONS)])
  vi.runAllTicks()
  vi.advanceTimersByTime(0)
  const message = { ask: 'deleted', round: 1, ids: [BREAD, LEMONS] }
  expect(told).toEqual([ADA, BOB].map((to) => ({ to, message })))
  answers(ADA, [BREAD])
  answers(BOB, [])
  expect(await both).toEqual([true, false])
})

it('e4_waits_for_no_device_that_does_not_answer', async () => {
  const confirmed = witnesses.confirm(LEMONS)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await confirmed).toBe(false)
})

it('e4_believes_only_the_devices_that_were_asked_and_each_of_them_once', async () => {
  const confirmed = witnesses.confirm(LEMONS)
  vi.advanceTimersByTime(0)
  answers('eve' as DeviceId, [LEMONS])
  answers(ADA, [LEMONS], 2)
  answers(ADA, [])
  answers(ADA, [LEMONS])
  answers(BOB, [])
  expect(await confirmed).toBe(false)
})

it('e4_tells_what_it_knows_to_be_deleted', () => {
  witnesses.hear(BOB, { ask: 'deleted', round: 7, ids: [BREAD, LEMONS] })
  expect(told).toEqual([{ to: BOB, message: { have: 'deleted', round: 7, ids: [BREAD] } }])
})

it('e4_asks_nobody_where_nobody_is', async () => {
  others = []
  const confirmed = witnesses.confirm(BREAD)
  vi.advanceTimersByTime(0)
  expect(await confirmed).toBe(false)
  expect(told).toEqual([])
})
