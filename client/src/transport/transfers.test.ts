import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId, DeviceId } from '../protocol/bindings'
import type { Channels } from './channel-link'
import type { EngineCommand, EngineEvent, Progress } from './engine-messages'
import { FILE, FILES } from './engine-stage'
import { type EngineWorker, Transfers } from './transfers'

const ADA = 'ada' as DeviceId

class FakeWorker implements EngineWorker {
  onmessage: EngineWorker['onmessage'] = null
  onerror: EngineWorker['onerror'] = null
  readonly told: EngineCommand[] = []
  isTerminated = false

  postMessage(command: EngineCommand): void {
    this.told.push(command)
  }

  terminate(): void {
    this.isTerminated = true
  }

  says(event: EngineEvent): void {
    this.onmessage?.call(this as unknown as Worker, { data: event } as MessageEvent)
  }

  breaks(): void {
    this.onerror?.call(this as unknown as Worker, new Event('error') as ErrorEvent)
  }

  heard(what: EngineCommand['do']): EngineCommand[] {
    return this.told.filter((command) => command.do === what)
  }
}

let workers: FakeWorker[]
let events: EngineEvent[]
let transfers: Transfers

const newest = () => workers.at(-1) as FakeWorker
const receive = (id = FILE): Extract<EngineCommand, { do: 'receive' }> => ({
  do: 'receive',
  file: { id, from: ADA, size: 10, type: '', name: 'a.bin', beam: 'a beam' as BeamId },
  picked: null,
})

beforeEach(() => {
  vi.useFakeTimers()
  workers = []
  events = []
  transfers = new Transfers(
    (event) => events.push(event),
    () => {
      workers.push(new FakeWorker())
      return newest()
    },
  )
})
afterEach(() => vi.useRealTimers())

const passes = () => vi.advanceTimersByTimeAsync(60_000)

describe('a worker that breaks', () => {
  it('is replaced, and the new one knows the devices, the files here and what was being received', async () => {
    const file = new Blob(['abc'])
    transfers.tell({ do: 'devices', devices: [{ id: ADA, rtc: true }] })
    transfers.tell({ do: 'relay', use: 'fallback' })
    transfers.tell({ do: 'most', connections: 4 })
    transfers.tell({ do: 'passOn', isAllowed: false })
    transfers.tell({ do: 'offer', id: FILES[1], file })
    transfers.tell(receive())
    newest().breaks()
    await passes()
    expect(workers.map(({ isTerminated }) => isTerminated)).toEqual([true, false])
    expect(newest().told).toEqual([
      { do: 'devices', devices: [{ id: ADA, rtc: true }] },
      { do: 'relay', use: 'fallback' },
      { do: 'most', connections: 4 },
      { do: 'passOn', isAllowed: false },
      { do: 'offer', id: FILES[1], file },
      receive(),
    ])
  })

  it('parks what was being received until then', () => {
    transfers.tell(receive())
    newest().says({
      say: 'receiving',
      id: FILE,
      progress: {
        status: 'moving',
        bytes: 7,
        bytesPerSecond: 1,
        twice: 0,
        via: { links: ['a'], server: false },
      },
    })
    newest().breaks()
    expect(events.at(-1)).toEqual({ say: 'receiving', id: FILE, progress: { status: 'parked', bytes: 7 } })
  })

  it('loses its direct links, which are rebuilt', () => {
    transfers.addChannels(ADA, 0, 'key', {} as Channels)
    newest().breaks()
    expect(events).toContainEqual({ say: 'link', device: ADA, key: 'key', opened: false })
  })

  it('accepts no channel while it is replaced; that link is rebuilt too', async () => {
    newest().breaks()
    transfers.addChannels(ADA, 0, 'key', {} as Channels)
    expect(events).toEqual([])
    await Promise.resolve()
    expect(events).toEqual([{ say: 'link', device: ADA, key: 'key', opened: false }])
  })

  it('does not bring back transfers that ended, were cancelled, or lost their item', async () => {
    for (const id of FILES) transfers.tell(receive(id))
    newest().says({
      say: 'receiving',
      id: FILES[0],
      progress: { status: 'done', file: null, twice: 0, via: { links: [], server: true } },
    })
    newest().says({ say: 'receiving', id: FILES[1], progress: { status: 'cancelled', by: 'them' } })
    transfers.tell({ do: 'offer', id: FILES[2], file: new Blob() })
    transfers.tell({ do: 'forget', id: FILES[2] })
    newest().breaks()
    await passes()
    expect(newest().heard('receive')).toEqual([])
    expect(newest().heard('offer')).toEqual([])
    expect(transfers.offered(FILES[2])).toBeNull()
  })

  const turn = (what: 'pause' | 'resume', device: DeviceId | null = null) =>
    ({ do: what, id: FILE, device }) as const

  it.each(['pause', 'resume'] as const)(
    'f18_is_told_again_of_the_last_%s_of_what_comes, said before or while there was none',
    async (what) => {
      transfers.tell(receive())
      transfers.tell(turn(what === 'pause' ? 'resume' : 'pause'))
      transfers.tell(turn(what))
      newest().breaks()
      await passes()
      expect(newest().told.slice(-2)).toEqual([receive(), turn(what)])
      newest().breaks()
      const meanwhile = [turn(what === 'pause' ? 'resume' : 'pause'), turn(what)]
      for (const command of meanwhile) transfers.tell(command)
      await passes()
      expect(newest().told.slice(-4)).toEqual([receive(), turn(what), ...meanwhile])
      newest().breaks()
      await passes()
      expect(newest().told.slice(-2)).toEqual([receive(), turn(what)])
    },
  )

  it('f18_is_not_needed_to_show_that_the_person_has_paused_what_comes', () => {
    transfers.tell(receive())
    newest().breaks()
    const shown = () => events.at(-1)
    transfers.tell(turn('pause'))
    const [bytes, by] = [0, 'me'] as const
    expect(shown()).toEqual({ say: 'receiving', id: FILE, progress: { status: 'paused', bytes, by } })
    transfers.tell(turn('resume'))
    expect(shown()).toEqual({ say: 'receiving', id: FILE, progress: { status: 'parked', bytes } })
  })

  describe('of a device that sends', () => {
    const BOB = 'bob' as DeviceId
    const offer = { do: 'offer', id: FILE, file: new Blob(['abc']) } as const
    const reports = (device: DeviceId, progress: Progress) =>
      newest().says({ say: 'sending', id: FILE, device, progress })
    const isPaused = (device: DeviceId) => reports(device, { status: 'paused', bytes: 1, by: 'me' })
    /** What the next worker is told of the file. */
    const told = async () => {
      newest().breaks()
      await passes()
      return newest().told.filter((command) => 'id' in command && command.id === FILE)
    }
    beforeEach(() => transfers.tell(offer))

    it('f18_is_told_again_for_which_devices_the_person_has_paused_it', async () => {
      transfers.tell(turn('pause', ADA))
      expect(await told()).toEqual([offer, turn('pause', ADA)])
      expect(await told()).toEqual([offer, turn('pause', ADA)])
      transfers.tell(turn('resume', ADA))
      expect(await told()).toEqual([offer])
    })

    it('f18_is_told_again_that_it_is_paused_for_all, and for those for which it still is when it goes on for one', async () => {
      transfers.tell(turn('pause'))
      for (const device of [ADA, BOB]) isPaused(device)
      expect(await told()).toEqual([offer, turn('pause'), turn('pause', ADA), turn('pause', BOB)])
      transfers.tell(turn('resume', ADA))
      reports(ADA, { status: 'parked', bytes: 1 })
      expect(await told()).toEqual([offer, turn('pause', BOB)])
      transfers.tell(turn('resume'))
      expect(await told()).toEqual([offer])
    })

    const via = { links: [], server: true }
    const moves = (device: DeviceId) =>
      reports(device, { status: 'moving', bytes: 5, bytesPerSecond: 1, twice: 0, via })
    /** How the page was told last that the transfer to a device is doing. */
    const shown = (device: DeviceId) => {
      const last = events.findLast((event) => event.say === 'sending' && event.device === device)
      return last && 'progress' in last ? last.progress : null
    }
    const cancel = (device: DeviceId | null) => ({ do: 'cancel', id: FILE, device }) as const

    it('parks what was moving from here', () => {
      moves(ADA)
      isPaused(BOB)
      newest().breaks()
      expect(shown(ADA)).toEqual({ status: 'parked', bytes: 5 })
      expect(shown(BOB)).toEqual({ status: 'paused', bytes: 1, by: 'me' })
    })

    it('is not needed to cancel it, for one device or for all, here or not', async () => {
      for (const device of [ADA, BOB]) moves(device)
      newest().breaks()
      transfers.tell(cancel(ADA))
      expect([ADA, BOB].map((device) => shown(device)?.status)).toEqual(['cancelled', 'parked'])
      transfers.tell(cancel(null))
      expect(shown(BOB)).toEqual({ status: 'cancelled', by: 'me' })
      await passes()
      expect(newest().told.slice(-4)).toEqual([offer, cancel(ADA), cancel(BOB), cancel(null)])
    })

    it('f18_is_not_needed_to_pause_it_or_go_on_with_it, and the next one tells the devices', async () => {
      const CYD = 'cyd' as DeviceId
      moves(ADA)
      isPaused(BOB)
      reports(CYD, { status: 'paused', bytes: 2, by: 'them' })
      newest().breaks()
      transfers.tell(turn('resume'))
      expect(shown(BOB)).toEqual({ status: 'parked', bytes: 1 })
      expect(shown(CYD)).toMatchObject({ status: 'paused', by: 'them' })
      transfers.tell(turn('pause', ADA))
      expect(shown(ADA)).toEqual({ status: 'paused', bytes: 5, by: 'me' })
      await passes()
      // Only one that knows of the pause says that it is over.
      const told = [offer, turn('pause', BOB), turn('resume'), turn('pause', ADA)]
      expect(newest().told.slice(-4)).toEqual(told)
    })

    it('f18_is_told_of_no_pause_that_the_receiver_has_ended, or its person by a cancel', async () => {
      transfers.tell(turn('pause', ADA))
      isPaused(ADA)
      reports(ADA, { status: 'cancelled', by: 'them' })
      expect(await told()).toEqual([offer])
      transfers.tell(turn('pause'))
      isPaused(BOB)
      transfers.tell({ do: 'cancel', id: FILE, device: null })
      expect(await told()).toEqual([offer])
    })
  })

  it('f17_receives_no_file_that_the_person_has_given_up, and one that waits for its sender', async () => {
    const [gone, givenUp] = FILES
    for (const id of [gone, givenUp]) {
      transfers.tell(receive(id))
      const why = { reason: 'gone' } as const
      newest().says({ say: 'receiving', id, progress: { status: 'failed', bytes: 1, why } })
    }
    transfers.tell({ do: 'cancel', id: givenUp, device: null })
    newest().says({ say: 'receiving', id: givenUp, progress: { status: 'offered' } })
    newest().breaks()
    await passes()
    expect(newest().heard('receive')).toEqual([receive(gone)])
  })

  describe('is not needed for what the person says meanwhile', () => {
    const cancel = (device: DeviceId | null = null) => ({ do: 'cancel', id: FILE, device }) as const

    it('a cancel is shown at once, and the next one removes the part and tells the sender', async () => {
      transfers.tell(receive())
      newest().breaks()
      transfers.tell(cancel())
      const cancelled = { say: 'receiving', id: FILE, progress: { status: 'cancelled', by: 'me' } } as const
      expect(events.at(-1)).toEqual(cancelled)
      await passes()
      expect(newest().told.slice(-2)).toEqual([receive(), cancel()])
      newest().says(cancelled)
      newest().breaks()
      await passes()
      expect(newest().heard('receive')).toEqual([])
      expect(newest().heard('cancel')).toEqual([])
    })

    it('nor is the next one, when it breaks before it has told anything', async () => {
      transfers.tell(receive())
      newest().breaks()
      transfers.tell(cancel())
      await vi.advanceTimersByTimeAsync(250)
      transfers.tell({ do: 'forget', id: FILES[1] })
      newest().breaks()
      await passes()
      expect(newest().told.slice(-2)).toEqual([cancel(), { do: 'forget', id: FILES[1] }])
      newest().says({ say: 'memoryOnly' })
      newest().breaks()
      await passes()
      expect([...newest().heard('cancel'), ...newest().heard('forget')]).toEqual([])
    })

    it('a file that failed is given up, and the bytes of a deleted item are removed', async () => {
      const forget = { do: 'forget', id: FILES[1] } as const
      transfers.tell(receive(FILES[1]))
      newest().breaks()
      transfers.tell(cancel())
      transfers.tell(forget)
      await passes()
      expect(newest().told.slice(-2)).toEqual([cancel(), forget])
      expect(newest().heard('receive')).toEqual([])
    })

    it('what is asked for, or comes back, after that is not undone', async () => {
      const offer = { do: 'offer', id: FILES[1], file: new Blob() } as const
      transfers.tell(receive())
      transfers.tell(offer)
      newest().breaks()
      transfers.tell(cancel())
      transfers.tell(receive())
      transfers.tell({ do: 'forget', id: FILES[1] })
      transfers.tell(offer)
      await passes()
      expect(newest().told.slice(-2)).toEqual([offer, receive()])
    })
  })

  it('is ignored, and is replaced ever more slowly when the next one breaks too', async () => {
    const first = newest()
    first.breaks()
    first.says({ say: 'memoryOnly' })
    first.breaks()
    expect(events).toEqual([])
    await vi.advanceTimersByTimeAsync(250)
    expect(workers).toHaveLength(2)
    newest().breaks()
    await vi.advanceTimersByTimeAsync(250)
    expect(workers).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(750)
    expect(workers).toHaveLength(3)
  })
})

describe('the file of a deleted item', () => {
  const file = new Blob(['abc'])
  beforeEach(() => {
    transfers.tell({ do: 'offer', id: FILE, file })
    transfers.tell({ do: 'forget', id: FILE })
  })

  it('is remembered, because another device may bring the item back', () => {
    expect(transfers.offered(FILE)).toBeNull()
    expect(transfers.deleted(FILE)).toBe(file)
  })

  it('is let go with its beam', () => {
    transfers.forgetDeleted()
    expect(transfers.deleted(FILE)).toBeNull()
  })

  it('is one of the 500 deleted last', () => {
    for (let at = 0; at < 500; at += 1) {
      const id = `file ${at}` as typeof FILE
      transfers.tell({ do: 'offer', id, file })
      transfers.tell({ do: 'forget', id })
    }
    expect(transfers.deleted(FILE)).toBeNull()
    expect(transfers.deleted('file 0' as typeof FILE)).toBe(file)
  })
})

it('what goes through the server is counted for each device, both ways', () => {
  expect(transfers.relayedWith(ADA)).toBeNull()
  newest().says({ say: 'relay', to: ADA, frame: new ArrayBuffer(100) })
  newest().says({ say: 'relay', to: ADA, frame: new ArrayBuffer(50) })
  transfers.tell({ do: 'relayed', from: ADA, frame: new ArrayBuffer(7) })
  expect(transfers.relayedWith(ADA)).toEqual({ sent: 150, received: 7 })
  expect(transfers.relayedWith('bob' as DeviceId)).toBeNull()
})

describe('e12 a file that devices receive from the server', () => {
  it('is known until its item is gone, and not offered to any worker', () => {
    const file = new Blob(['bytes'])
    transfers.hold(FILE, file)
    expect(transfers.fileOf(FILE)).toBe(file)
    expect(transfers.offered(FILE)).toBeNull()
    expect(newest().heard('offer')).toEqual([])
    transfers.tell({ do: 'leave', id: FILE })
    expect(transfers.fileOf(FILE)).toBeNull()
  })

  it('is the one that is offered where there is one', () => {
    const file = new Blob(['bytes'])
    transfers.hold(FILE, new Blob())
    transfers.tell({ do: 'offer', id: FILE, file })
    expect(transfers.fileOf(FILE)).toBe(file)
  })
})
