import { describe, expect, it } from 'vitest'
import { SendQueue } from './send-queue'

const all = (queue: SendQueue<string>, limit: number) => {
  const order: string[] = []
  for (let turn = queue.next(limit); turn; turn = queue.next(limit)) {
    order.push(`${turn.transfer}${turn.range.first}`)
  }
  return order
}

it('f3_does_not_queue_again_what_is_being_read', () => {
  const queue = new SendQueue<string>()
  queue.want('a', { first: 0, count: 4 })
  queue.next(4)
  queue.want('a', { first: 0, count: 6 })
  expect(queue.has('a')).toBe(true)
  queue.sent()
  expect(queue.next(4)).toEqual({ transfer: 'a', range: { first: 4, count: 2 } })
  queue.sent()
  expect(queue.has('a')).toBe(false)
  // What was sent and got lost is sent again.
  queue.want('a', { first: 0, count: 4 })
  expect(queue.next(4)).toEqual({ transfer: 'a', range: { first: 0, count: 4 } })
})

describe('f3 the queue of a link', () => {
  it('gives each file a turn of one frame, so that none waits for another', () => {
    const queue = new SendQueue<string>()
    queue.want('a', { first: 0, count: 12 })
    queue.want('b', { first: 0, count: 8 })
    queue.want('c', { first: 4, count: 4 })
    expect(all(queue, 4)).toEqual(['a0', 'b0', 'c4', 'a4', 'b4', 'a8'])
  })

  it('sends a chunk once that is wanted twice before', () => {
    const queue = new SendQueue<string>()
    queue.want('a', { first: 0, count: 4 })
    queue.want('a', { first: 2, count: 4 })
    expect(all(queue, 3)).toEqual(['a0', 'a3'])
  })

  it('drops the chunks of an ended transfer or link', () => {
    const queue = new SendQueue<string>()
    queue.want('a', { first: 0, count: 1 })
    queue.want('b', { first: 0, count: 1 })
    queue.forget('a')
    expect(queue.next(4)?.transfer).toBe('b')
    queue.want('a', { first: 0, count: 1 })
    queue.clear()
    expect(queue.next(4)).toBeNull()
  })

  it('stays small when a hostile device wants every second chunk of a large file', () => {
    const queue = new SendQueue<string>()
    for (let first = 0; first < 100_000; first += 2) queue.want('a', { first, count: 1 })
    expect(all(queue, 4).length).toBeLessThanOrEqual(256)
  })
})
