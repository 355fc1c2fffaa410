import { expect, it, vi } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { PIECE_BYTES } from '../protocol/pieces'
import { blake3 } from './blake3'
import { incomingFile, stageDevice } from './engine-stage'
import { Incoming } from './incoming'
import { PieceMemory } from './offered-file'
import { PassingOn } from './passing-on'
import { Relay } from './relay-link'
import { RemoteDevice } from './remote-device'
import { Swarming } from './swarming'

/** A file of 200 pieces from a device, and another device that gives parts of it. */
function scene() {
  const relay = new Relay({ send: () => {}, ask: () => {} }, () => 0)
  const source = new RemoteDevice(stageDevice('a').id, relay)
  const other = new RemoteDevice(stageDevice('b').id, relay)
  const nothing = () => {}
  const incoming = new Incoming(
    incomingFile(200 * PIECE_BYTES, stageDevice('a')),
    null,
    source,
    {
      onRoom: nothing,
      onHead: nothing,
      onLacking: nothing,
      onWrong: nothing,
      onUnopened: nothing,
      onBroken: nothing,
    },
    { hash: blake3, random: () => 0, readStored: () => Promise.reject(new Error('none')) },
  )
  const passing = new PassingOn({ pass: nothing, unpass: nothing }, new PieceMemory())
  const onDamaged = vi.fn()
  const swarming = new Swarming(
    new Map([[incoming.file.id, incoming]]),
    passing,
    () => [source, other],
    { onRoom: nothing, onGiver: nothing, onDamaged },
    () => 0,
  )
  swarming.have(other, incoming.file.id, [{ first: 0, count: 200 }])
  const areWrong = (count: number, ...givers: DeviceId[]) => {
    for (let piece = 0; piece < count; piece++) swarming.wrong(incoming, piece, givers)
  }
  return { source, other, areWrong, onDamaged }
}

it('f19_wrong_pieces_of_another_device_fail_no_file_however_many_were_under_way', () => {
  const { source, other, areWrong, onDamaged } = scene()
  areWrong(150, other.id)
  areWrong(150, other.id, source.id)
  expect(onDamaged).not.toHaveBeenCalled()
})

it('f19_more_than_100_wrong_pieces_of_the_device_that_shared_a_file_fail_it', () => {
  const { source, areWrong, onDamaged } = scene()
  areWrong(100, source.id)
  expect(onDamaged).not.toHaveBeenCalled()
  areWrong(1, source.id)
  expect(onDamaged).toHaveBeenCalledOnce()
})
