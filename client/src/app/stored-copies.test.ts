import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sealedSize } from '../crypto/file-chunks'
import { newFileSeal } from '../crypto/file-keys'
import type { Cap, DeviceId, ItemId } from '../protocol/bindings'
import { reduceDevices } from '../stores/devices'
import { reduceKeeping } from '../stores/keeping'
import { reduceTransfers } from '../stores/transfers'
import { PROGRESS_INTERVAL_MS } from '../transport/progress'
import { RETRY_AFTER_MS } from './stored-copies'
import {
  answer,
  BEAM,
  begins,
  cancelled,
  copies,
  echo,
  ends,
  enterSaved,
  first,
  hideNotes,
  hold,
  isStored,
  keep,
  MODIFIED,
  names,
  notStored,
  offered,
  offeredSeals,
  outgoing,
  STORED,
  shared,
  stores,
  targets,
  transfer,
  under,
} from './stored-copies-stage'

beforeEach(begins)
afterEach(() => {
  vi.useRealTimers()
})

describe('a file that is uploaded before it is shared', () => {
  it('is a medium, or any file of a saved beam, while no other device is here', () => {
    expect(copies.comesFirst(outgoing('a'))).toBe(true)
    expect(copies.comesFirst(outgoing('a', 'application/zip'))).toBe(false)
    enterSaved()
    expect(copies.comesFirst(outgoing('a', 'application/zip'))).toBe(true)
    const phone = { device_id: 'p' as DeviceId, name: 'Phone', caps: ['files' as const] }
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [phone] }), true)
    expect(copies.comesFirst(outgoing('a'))).toBe(false)
  })

  it('e8_is_a_sealed_medium_too_where_nobody_has_let_the_other_device_in', () => {
    const id = 'p' as DeviceId
    const phone = { device_id: id, name: 'Phone', caps: ['files', 'e2e1'] as const }
    stores.devices.setState(
      (state) => reduceDevices(state, { type: 'listed', devices: [{ ...phone, caps: [...phone.caps] }] }),
      true,
    )
    const picture = { ...outgoing('a'), seal: newFileSeal() }
    expect(copies.comesFirst(picture)).toBe(false)
    const asks = { signs: [1, 2, 3, 4], state: 'asking', isIn: false } as const
    stores.trust.setState((state) => ({ ...state, devices: { [id]: asks } }), true)
    expect(copies.comesFirst(picture)).toBe(true)
    expect(copies.comesFirst(outgoing('a'))).toBe(false)
  })

  it('s4_is_no_medium_that_is_larger_than_the_server_takes', () => {
    const picture = outgoing('a')
    stores.limits.setState({ upload_bytes: picture.file.size - 1 })
    expect(copies.comesFirst(picture)).toBe(false)
    stores.limits.setState({ upload_bytes: picture.file.size })
    expect(copies.comesFirst(picture)).toBe(true)
  })

  it('e7_is_a_sealed_medium_by_the_same_rule_and_by_the_size_of_what_the_server_stores', () => {
    const seal = newFileSeal()
    const picture = { ...outgoing('a'), seal }
    expect(copies.comesFirst({ ...outgoing('a', 'application/zip'), seal })).toBe(false)
    stores.limits.setState({ upload_bytes: sealedSize(picture.file.size) - 1 })
    expect(copies.comesFirst(picture)).toBe(false)
    stores.limits.setState({ upload_bytes: sealedSize(picture.file.size) })
    expect(copies.comesFirst(picture)).toBe(true)
  })

  it('e7_is_sealed_whole_only_up_to_128_mib_in_a_beam_that_is_not_stored', () => {
    const seal = newFileSeal()
    const large = outgoing('a')
    Object.defineProperty(large.file, 'size', { value: 129 * 1024 * 1024 })
    stores.limits.setState({ upload_bytes: 1024 ** 3 })
    expect(copies.comesFirst({ ...large, seal })).toBe(false)
    expect(copies.comesFirst(large)).toBe(true)
    expect(copies.comesFirst({ ...outgoing('b'), seal })).toBe(true)
    enterSaved()
    expect(copies.comesFirst({ ...large, seal })).toBe(true)
  })

  it('e7_is_sealed_by_its_own_seal_and_its_item_keeps_what_only_this_device_knows_of_it', () => {
    const seal = newFileSeal()
    const file = { ...outgoing('a'), seal }
    enterSaved()
    copies.show(file)
    copies.storeFirst(file, BEAM, (end) => ends.push(end))
    expect(targets).toEqual([{ id: 'a', beam: BEAM, isStored: true, seal }])
    const answered = { ...STORED, name: 'sealed', size: 76, type: 'application/octet-stream' }
    answer('a.png', { status: 'stored', file: answered })
    expect(shared[0]).toMatchObject({
      extra: 'image',
      message: { file: { name: 'a.png', size: 4, type: 'image/png', url: STORED.url, seal } },
    })
  })

  it('e7_is_uploaded_again_without_its_seal_when_the_beam_turns_out_to_be_clear_meanwhile', () => {
    const file = { ...outgoing('a'), seal: newFileSeal() }
    stores.encryption.setState({ kind: 'unknown', isSuspected: false }, true)
    copies.show(file)
    copies.storeFirst(file, BEAM, (end) => ends.push(end))
    stores.encryption.setState({ kind: 'clear' }, true)
    isStored('a.png')
    expect(shared).toEqual([])
    isStored('a.png')
    expect(targets.map(({ seal }) => seal)).toEqual([file.seal, undefined])
    expect(shared).toHaveLength(1)
    expect(shared[0]?.message).not.toHaveProperty('file.seal')
    expect(ends).toEqual(['stored'])
  })

  it('is shown at once, with its progress', () => {
    first()
    expect(stores.items.getState().items).toMatchObject([{ id: 'a', seq: null }])
    expect(transfer('a')).toMatchObject({ role: 'storing', state: { status: 'moving', sent: 0 } })
  })

  it('f9_is_shared_with_its_address_once_the_server_has_it', () => {
    first()
    isStored('a.png')
    const file = { name: 'a.png', size: 4, type: 'image/png', modified: MODIFIED, url: STORED.url }
    expect(shared).toEqual([{ id: 'a', message: { file }, extra: 'image' }])
    expect(transfer('a')).toMatchObject({ role: 'storing', state: { status: 'done' } })
    expect(ends).toEqual(['stored'])
  })

  it.each(['refused', 'unreachable'] as const)('says when the server does not take it (%s)', (status) => {
    first()
    answer('a.png', { status })
    expect(ends).toEqual([status])
    expect(shared).toEqual([])
  })

  it('waits for its turn: two are uploaded at a time', () => {
    for (const id of ['a', 'b', 'c', 'd']) copies.storeFirst(outgoing(id), BEAM, (end) => ends.push(end))
    expect(names()).toEqual(['a.png', 'b.png'])
    expect(transfer('d')).toMatchObject({ role: 'storing', state: { status: 'moving', sent: 0 } })
    // Deleted before its turn.
    stores.transfers.setState(
      (state) => reduceTransfers(state, { type: 'forgotten', id: 'c' as ItemId }),
      true,
    )
    answer('a.png', { status: 'refused' })
    expect(names()).toEqual(['b.png', 'd.png'])
    isStored('b.png')
    isStored('d.png')
    expect(ends).toEqual(['refused', 'stored', 'stored'])
    expect(cancelled).toEqual([])
  })

  it('gives its turn to the next when it is deleted', () => {
    for (const id of ['a', 'b', 'c']) copies.storeFirst(outgoing(id), BEAM, (end) => ends.push(end))
    stores.transfers.setState(
      (state) => reduceTransfers(state, { type: 'forgotten', id: 'a' as ItemId }),
      true,
    )
    expect(cancelled).toEqual(['a.png'])
    expect(names()).toEqual(['b.png', 'c.png'])
  })

  it('ends with its item, by deleting or by leaving the beam', () => {
    first()
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
    expect(cancelled).toEqual(['a.png'])
  })
})

describe('f9 a device that comes while a file is uploaded before it is shared', () => {
  const arrives = (...caps: Cap[]) => {
    const phone = { device_id: 'p' as DeviceId, name: 'Phone', caps }
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [phone] }), true)
  }
  const begin = (...ids: string[]) => {
    for (const id of ids) {
      copies.show(outgoing(id))
      copies.storeFirst(outgoing(id), BEAM, (end) => ends.push(end))
    }
  }
  const addresses = () =>
    shared.map(({ id, message }) => [id, (message as { file: { url?: string } }).file.url])

  it('can receive it at once, and the same upload goes on: the item then names the copy', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    enterSaved()
    begin('a')
    arrives('files')
    expect(offered).toEqual(['a'])
    expect(addresses()).toEqual([['a', undefined]])
    expect(transfer('a')).toMatchObject({ role: 'sending' })
    vi.advanceTimersByTime(PROGRESS_INTERVAL_MS)
    under.get('a.png')?.onProgress(2)
    expect(transfer('a')).toMatchObject({ role: 'sending' })
    isStored('a.png')
    expect(addresses()).toEqual([
      ['a', undefined],
      ['a', STORED.url],
    ])
    expect(transfer('a')).toMatchObject({ role: 'sending' })
    expect([cancelled, targets.length]).toEqual([[], 1])
  })

  it('can receive those that wait for their turn too, which are then uploaded one at a time', () => {
    enterSaved()
    begin('a', 'b', 'c', 'd')
    arrives('files')
    expect(offered).toEqual(['a', 'b', 'c', 'd'])
    expect(names()).toEqual(['a.png', 'b.png'])
    isStored('a.png')
    expect(names()).toEqual(['b.png'])
    isStored('b.png')
    expect(names()).toEqual(['c.png'])
    isStored('c.png')
    expect(names()).toEqual(['d.png'])
  })

  it('can receive one that was shown while the server said what it has room for', () => {
    enterSaved()
    copies.show(outgoing('a'))
    arrives('files')
    copies.storeFirst(outgoing('a'), BEAM, (end) => ends.push(end))
    expect(offered).toEqual(['a'])
  })

  it('receives what the server does not take, and the person is told that there is no copy', () => {
    enterSaved()
    begin('a', 'b')
    arrives('files')
    answer('a.png', { status: 'refused' })
    answer('b.png', { status: 'unreachable' })
    expect(notStored).toEqual([['a', 'refused']])
    enterSaved()
    isStored('b.png')
    expect(addresses().at(-1)).toEqual(['b', STORED.url])
    expect(ends).toEqual([])
  })

  it('changes nothing for a sealed file that it cannot open', () => {
    enterSaved()
    const sealed = { ...outgoing('a'), seal: newFileSeal() }
    copies.show(sealed)
    copies.storeFirst(sealed, BEAM, (end) => ends.push(end))
    arrives('files')
    expect([offered, shared]).toEqual([[], []])
    arrives('files', 'e2e1')
    expect(offered).toEqual(['a'])
  })

  it('leaves the upload of a deleted file to end, and the next one begins', () => {
    enterSaved()
    begin('a')
    arrives('files')
    hold(outgoing('b'))
    expect(names()).toEqual(['a.png'])
    const gone = { type: 'forgotten', id: 'a' as ItemId } as const
    stores.transfers.setState((state) => reduceTransfers(state, gone), true)
    expect(cancelled).toEqual(['a.png'])
    expect(names()).toEqual(['b.png'])
  })
})

describe('s30_a_file_whose_stored_copy_went_with_the_keeping', () => {
  it('e7_is_offered_by_what_its_item_says_which_has_no_seal_where_the_beam_turned_out_to_be_clear', () => {
    const file = { ...outgoing('a'), seal: newFileSeal() }
    copies.show(file)
    copies.storeFirst(file, BEAM, (end) => ends.push(end))
    isStored('a.png')
    echo('a')
    expect(offered).toEqual(['a'])
    expect(offeredSeals).toEqual([undefined])
  })

  it('is offered from here, and stored again when the beam is kept again', () => {
    keep(true)
    first()
    isStored('a.png')
    echo('a', STORED.url)
    expect(transfer('a')).toMatchObject({ role: 'storing' })

    keep(false)
    echo('a')

    expect(offered).toEqual(['a'])
    expect(transfer('a')).toMatchObject({ role: 'sending' })
    expect(names()).toEqual([])
    keep(true)
    expect(names()).toEqual(['a.png'])
  })

  it('goes on being offered if it was, and is stored again', () => {
    keep(true)
    hold(outgoing('a'))
    isStored('a.png')
    keep(false)
    echo('a')
    expect(offered).toEqual([])
    keep(true)
    expect(names()).toEqual(['a.png'])
  })

  it('is left alone while it is stored, and when it was deleted', () => {
    keep(true)
    first()
    isStored('a.png')
    echo('a')
    expect(offered).toEqual([])
    stores.transfers.setState(
      (state) => reduceTransfers(state, { type: 'forgotten', id: 'a' as ItemId }),
      true,
    )
    keep(false)
    echo('a')
    expect(offered).toEqual([])
  })
})

describe('a file that devices receive from here', () => {
  it('is stored in a saved beam as well, and then shared with its address', () => {
    enterSaved()
    hold(outgoing('a'))
    expect(names()).toEqual(['a.png'])
    isStored('a.png')
    expect(shared).toMatchObject([{ id: 'a', message: { file: { url: STORED.url } }, extra: 'image' }])
    // The direct transfer goes on: the card still shows a file that is received from here.
    expect(transfer('a')).toMatchObject({ role: 'sending' })
  })

  it('is stored once the beam is saved, one after the other', () => {
    hold(outgoing('a'))
    hold(outgoing('b'))
    expect(names()).toEqual([])
    enterSaved()
    expect(names()).toEqual(['a.png'])
    isStored('a.png')
    expect(names()).toEqual(['b.png'])
    isStored('b.png')
    expect(shared.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('is not uploaded again after a refusal, of which the person is told, and the next one is', () => {
    enterSaved()
    hold(outgoing('a'))
    hold(outgoing('b'))
    answer('a.png', { status: 'refused' })
    expect(notStored).toEqual([['a', 'refused']])
    expect(names()).toEqual(['b.png'])
    isStored('b.png')
    enterSaved()
    expect(names()).toEqual([])
  })

  it('that was changed on the disk is not tried again, and the person is told', () => {
    enterSaved()
    hold(outgoing('a'))
    hold(outgoing('b'))
    answer('a.png', { status: 'unreadable' })
    expect(notStored).toEqual([['a', 'unreadable']])
    isStored('b.png')
    enterSaved()
    expect(names()).toEqual([])
  })

  it('is uploaded at the next welcome after a failure of the network', () => {
    enterSaved()
    hold(outgoing('a'))
    answer('a.png', { status: 'unreachable' })
    expect(names()).toEqual([])
    enterSaved()
    expect(names()).toEqual(['a.png'])
  })

  it('is uploaded again after a pause, without a new welcome', () => {
    vi.useFakeTimers()
    enterSaved()
    hold(outgoing('a'))
    answer('a.png', { status: 'unreachable' })
    vi.advanceTimersByTime(RETRY_AFTER_MS)
    expect(names()).toEqual(['a.png'])
    answer('a.png', { status: 'unreachable' })
    vi.advanceTimersByTime(RETRY_AFTER_MS)
    isStored('a.png')
    expect(shared.map(({ id }) => id)).toEqual(['a'])
  })

  it('is stored all the same when an outage has hidden the notes of the beam', () => {
    enterSaved()
    hold(outgoing('a'))
    hold(outgoing('b'))
    stores.items.setState(({ items, epoch }) => ({
      items: items.map((item) => ({ ...item, seq: 1, note: { mine: true } })),
      epoch,
    }))
    hideNotes()
    expect(stores.items.getState().items).toEqual([])
    expect(cancelled).toEqual([])
    answer('a.png', { status: 'unreachable' })
    enterSaved()
    isStored('b.png')
    isStored('a.png')
    expect(shared.map(({ id }) => id)).toEqual(['b', 'a'])
  })

  it('that can never be uploaded blocks no other, and each is tried once until the next welcome', () => {
    enterSaved()
    for (const id of ['a', 'b']) hold(outgoing(id))
    answer('a.png', { status: 'unreachable' })
    expect(names()).toEqual(['b.png'])
    answer('b.png', { status: 'unreachable' })
    expect(names()).toEqual([])
    hold(outgoing('c'))
    isStored('c.png')
    expect(names()).toEqual([])
    enterSaved()
    answer('a.png', { status: 'unreachable' })
    isStored('b.png')
    expect(shared.map(({ id }) => id)).toEqual(['c', 'b'])
  })

  it('is not uploaded without the right to share', () => {
    enterSaved('read')
    hold(outgoing('a'))
    enterSaved('read')
    expect(names()).toEqual([])
    enterSaved()
    expect(names()).toEqual(['a.png'])
  })

  it('f9_is_of_any_type_and_keeps_the_type_that_the_server_does_not_recognize', () => {
    hold(outgoing('zip', 'application/zip'))
    expect(names()).toEqual([])
    enterSaved()
    expect(targets).toEqual([{ id: 'zip', beam: BEAM, isStored: true }])
    answer('zip.png', { status: 'stored', file: { ...STORED, type: 'application/octet-stream' } })
    const file = { name: 'zip.png', size: 4, type: 'application/zip', modified: MODIFIED, url: STORED.url }
    expect(shared).toEqual([{ id: 'zip', message: { file }, extra: 'file' }])
  })

  it('h32_is_uploaded_once_somebody_asks_to_keep_the_beam', () => {
    stores.access.setState({ kind: 'unsaved', creator: true }, true)
    hold(outgoing('zip', 'application/zip'))
    expect(names()).toEqual([])
    const kept = { until: Date.now() + 1_000, by: 'me' as DeviceId }
    stores.keeping.setState((state) => reduceKeeping(state, { type: 'changed', kept }), true)
    expect(targets).toEqual([{ id: 'zip', beam: BEAM, isStored: true }])
  })

  it('is not uploaded once it is deleted, and the next one is', () => {
    enterSaved()
    hold(outgoing('a'))
    hold(outgoing('b'))
    const gone = { type: 'forgotten', id: 'a' as ItemId } as const
    stores.transfers.setState((state) => reduceTransfers(state, gone), true)
    expect(cancelled).toEqual(['a.png'])
    expect(names()).toEqual(['b.png'])
  })
})
