import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { adaAndBob, bytes, MIB, type StageDevice, StageServer, settles, stageDevice } from './engine-stage'

const SIZE = 2 * MIB
const sent = bytes(SIZE)

let ada: StageDevice
let bob: StageDevice
let server: StageServer
/** How often Bob has asked Ada for hashes. */
let asked: number

/** Bob has every chunk, and was told no hash of them, when Ada's worker is replaced by one that has read nothing yet. */
beforeEach(async () => {
  ;({ ada, bob, server } = adaAndBob())
  server.loses = ({ type }) => type === 'hashes'
  ada.offers(new Blob([sent]))
  bob.receives(SIZE, ada)
  await server.carries()
  expect(server.carried).toBe(SIZE)
  expect(bob.last('receiving')?.status).not.toBe('done')
  bob.seesNobody()
  ada = stageDevice('a')
  ada.sees(bob)
  server = new StageServer(ada, bob)
  asked = 0
  server.loses = ({ type }) => {
    if (type === 'ask') asked += 1
    return false
  }
})
afterEach(() => vi.useRealTimers())

/** Bob asks once a second. */
async function passes(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await settles(1_000)
    await server.carries()
  }
}

/** A file on the disk whose reads end as the test says. */
function readAs(read: () => Promise<ArrayBuffer>): Blob {
  const file = new Blob([sent])
  vi.spyOn(file, 'slice').mockReturnValue({ arrayBuffer: read } as unknown as Blob)
  return file
}

const isRemoved = () => Promise.reject(new DOMException('', 'NotFoundError'))

it('f19_a_device_that_lacks_only_hashes_asks_for_them', async () => {
  ada.offers(new Blob([sent]))
  bob.sees(ada)
  await passes(3)
  expect(await bob.hasWhole(sent)).toBe(true)
  expect(asked).toBeGreaterThan(0)
  expect(server.carried).toBe(0)
})

it('f19_a_device_that_lacks_only_hashes_hears_that_the_file_is_gone_where_it_cannot_be_read', async () => {
  ada.offers(readAs(isRemoved))
  bob.sees(ada)
  await passes(3)
  expect(ada.last('sending')).toEqual({ status: 'failed', bytes: 0, why: { reason: 'changed' } })
  expect(bob.last('receiving')).toEqual({ status: 'failed', bytes: SIZE, why: { reason: 'gone' } })
  // What is here waits for the file, and nothing more is asked.
  expect(bob.forgotten).toEqual([])
  const before = asked
  expect(before).toBeGreaterThan(0)
  await passes(10)
  expect(asked).toBe(before)
})

it('f19_a_file_that_was_replaced_while_it_was_read_is_not_gone', async () => {
  let fail = () => {}
  const read = new Promise<ArrayBuffer>((_, reject) => {
    fail = () => reject(new DOMException('', 'NotFoundError'))
  })
  ada.offers(readAs(() => read))
  bob.sees(ada)
  await passes(2)
  ada.offers(new Blob([sent]))
  fail()
  await passes(3)
  expect(ada.count('sending', 'failed')).toBe(0)
  expect(await bob.hasWhole(sent)).toBe(true)
})
