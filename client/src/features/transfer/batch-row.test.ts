import { describe, expect, it } from 'vitest'
import type { DeviceId } from '../../protocol/bindings'
import { DIRECT, type Way } from '../../protocol/way'
import type { Receiving, Sending, Transfer } from '../../stores/transfers'
import { batchRow } from './batch-row'
import { fileView } from './file-view'
import { rightText } from './use-file'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId
const facts = {
  storedUrl: null,
  sender: 'Chrome on macOS',
  nameOf: (id: DeviceId) => id,
  takers: [],
  canSaveAs: false,
}
const file = (size: number, transfer: Transfer) => ({ size, view: fileView(transfer, { size, ...facts }) })
const coming = (size: number, state: Receiving) => file(size, { role: 'receiving', state })
const going = (size: number, to: Record<DeviceId, Sending>) =>
  file(size, { role: 'sending', to, url: 'blob:a' })
const moving = (received: number, bytesPerSecond: number) =>
  ({ status: 'moving', received, bytesPerSecond, way: DIRECT }) as const
const done = { status: 'done', url: 'blob:a', way: DIRECT, isKept: true } as const
const offered = { status: 'offered' } as const

describe('the sum of several files', () => {
  it('adds up what is transferred, with the speeds', () => {
    const { row, size } = batchRow([
      coming(300, done),
      coming(200, moving(100, 10)),
      coming(500, moving(0, 40)),
    ])
    expect(row).toMatchObject({ status: 'moving', bytes: 400, bytesPerSecond: 50, way: DIRECT })
    expect(size).toBe(1000)
  })

  it('leaves out what nobody asked for', () => {
    const { row, size, receivable } = batchRow([coming(100, moving(50, 10)), coming(9_000_000, offered)])
    expect([row.bytes, size, receivable]).toEqual([50, 100, 1])
  })

  it('tells no time left while nothing moves', () => {
    const parked = batchRow([
      coming(100, { status: 'parked', needsDirect: false, received: 10 }),
      coming(100, done),
    ])
    expect(parked.row).toMatchObject({ status: 'parked', bytes: 110, text: 'Waiting for Chrome on macOS' })
    expect(rightText(parked.row, parked.size, null)).toBe('55 %')
    const stalled = batchRow([coming(100, moving(10, 0))])
    expect(rightText(stalled.row, stalled.size, null)).toBe('10 %')
  })

  it('has no bar before the first byte is asked for, and says who offers them', () => {
    const { row, receivable } = batchRow([coming(1, offered), coming(2, offered)])
    expect(row).toMatchObject({ status: 'offered', bytes: null, text: 'From Chrome on macOS', actions: [] })
    expect(receivable).toBe(2)
  })

  it('says how many are there when the rest waits for a tap', () => {
    const { row, received } = batchRow([coming(1, done), coming(2, offered)])
    expect([row.text, received]).toEqual(['1 of 2 received', 1])
  })

  it('names every way that carries any of them', () => {
    const over = (way: Way) => coming(100, { ...moving(10, 1), way })
    const { row } = batchRow([
      over({ direct: 4, turn: 0, server: false }),
      over({ direct: 0, turn: 0, server: true }),
    ])
    expect(row.way).toEqual({ direct: 4, turn: 0, server: true })
  })

  it('is not complete while they are looked for', () => {
    expect(batchRow([coming(1, { status: 'looking' }), coming(2, done)]).row.status).toBe('looking')
  })

  it('is complete when all are', () => {
    const { row } = batchRow([coming(1, done), coming(2, done)])
    expect(row).toMatchObject({ status: 'done', bytes: 3, text: 'Complete', way: DIRECT })
  })

  it('counts a file for several devices once, by their mean', () => {
    const sent = (bytes: number) =>
      ({ status: 'moving', sent: bytes, bytesPerSecond: 10, way: DIRECT }) as const
    const { row, size } = batchRow([going(100, { [ADA]: sent(100), [BOB]: sent(50) })])
    expect([row.bytes, size, row.bytesPerSecond]).toEqual([75, 100, 10])
  })

  it('is paused as long as any of them can be, and resumed once all of them wait', () => {
    const paused = coming(100, { status: 'paused', received: 40, by: 'me' })
    const stopped = coming(100, { status: 'paused', received: 20, by: 'them' })
    expect(batchRow([coming(100, moving(50, 10)), paused]).row).toMatchObject({
      status: 'moving',
      actions: ['pause', 'cancel'],
    })
    expect(batchRow([paused, stopped, coming(100, done)]).row).toMatchObject({
      status: 'paused',
      bytes: 160,
      text: 'Paused',
      actions: ['resume', 'cancel'],
    })
  })

  it('f18 can be paused also where all of them wait for those who have paused them', () => {
    const stopped = coming(100, { status: 'paused', received: 20, by: 'them' })
    expect(batchRow([stopped, stopped]).row).toMatchObject({ status: 'paused', actions: ['pause', 'cancel'] })
  })

  it('can be cancelled while any of them moves, and received again where one failed', () => {
    const failed = coming(5, { status: 'failed', received: 1, why: { reason: 'other', message: 'Broken.' } })
    expect(batchRow([coming(5, moving(1, 1)), failed])).toMatchObject({
      row: { actions: ['pause', 'cancel'] },
      receivable: 1,
    })
    expect(batchRow([coming(5, done), failed])).toMatchObject({
      row: { status: 'failed', text: 'Broken.', actions: [], bytes: null },
      receivable: 1,
    })
  })

  it('of no files is empty', () => {
    expect(batchRow([]).row).toMatchObject({ bytes: null, text: '', actions: [] })
  })

  it('says of all files together that a reload took them, and of one as it does itself', () => {
    const lost = (asks = false) => file(1, { role: 'lost', asks, to: {} })
    expect(batchRow([lost(), lost()]).row.text).toBe(
      'This page was reloaded, so the files are no longer here.',
    )
    expect(batchRow([lost(), coming(1, done)]).row.text).toBe(
      'This page was reloaded, so the file is no longer here.',
    )
    expect(batchRow([lost(true), lost(true)]).row.text).toBe(
      'This page was reloaded. It may read the files again once you allow it.',
    )
  })
})
