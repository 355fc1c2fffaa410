import { describe, expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { PIECE_BYTES } from '../protocol/pieces'
import { Receiver } from '../protocol/receiver'
import { Givers } from './givers'
import { Relay } from './relay-link'
import { RemoteDevice } from './remote-device'

const PIECES = [{ first: 0, count: 4 }]

function scene() {
  const relay = new Relay({ send: () => {}, ask: () => {} }, () => 0)
  const device = (id: string) => new RemoteDevice(id as DeviceId, relay)
  const received = {
    file: { id: 'file' as ItemId },
    receiver: new Receiver(4 * PIECE_BYTES),
    source: device('source'),
    isOpen: true,
  }
  return { givers: new Givers(received, () => 0), other: device('other'), again: device('other') }
}

describe('f20 a device that gives parts of a file', () => {
  it('is asked again some time after it gave nothing, also when it comes back meanwhile', () => {
    const { givers, other, again } = scene()
    givers.add(other, PIECES)
    givers.rest(other, 1_000)
    expect(givers.add(again, PIECES)).toBeNull()
    expect(givers.rested(15_999)).toEqual([])
    expect(givers.rested(16_000)).toEqual([other.id])
    expect(givers.add(again, PIECES)).not.toBeNull()
  })

  it('is never asked again after it gave what is wrong', () => {
    const { givers, other, again } = scene()
    givers.add(other, PIECES)
    givers.ban(other)
    expect(givers.rested(1_000_000_000)).toEqual([])
    expect(givers.add(again, PIECES)).toBeNull()
  })
})
