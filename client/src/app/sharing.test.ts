// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newFileSeal } from '../crypto/file-keys'
import type { BeamId, DeviceId, ItemId, User } from '../protocol/bindings'
import { type FileSeal, liveItem } from '../protocol/item'
import { cardsOf, isBatch } from '../stores/cards'
import { reduceDevices } from '../stores/devices'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import type { EngineCommand } from '../transport/engine-messages'
import { renewLoginBy } from '../transport/http'
import type { LiveBeam } from '../transport/live-beam'
import type { Transfers } from '../transport/transfers'
import type { Context } from './context'
import { addresseeOf, createSharing } from './sharing'
import { createToaster } from './toaster'
import { UploadNews } from './upload-news'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ADA: User = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
const picture = () => new File(['four'], 'a.png', { type: 'image/png' })
const answer = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })

const files = (files: readonly File[]) => ({ files, folders: [] })

/** What happened, in order. */
let log: string[]
let stores: Stores
let context: Context
let sharing: ReturnType<typeof createSharing>
/** What seals each file that was offered. */
let seals: (FileSeal | undefined)[]
/** The files that the engine knows and does not offer. */
let held: Blob[]
/** To which devices each item that was shared also goes in clear text. */
let inClear: (readonly DeviceId[] | undefined)[]

class FakeRequest {
  readonly upload = {}
  open() {}
  setRequestHeader() {}
  send() {
    log.push('upload')
  }
  abort() {}
}

beforeEach(() => {
  log = []
  seals = []
  held = []
  inClear = []
  stores = createStores()
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
  URL.createObjectURL = () => 'blob:a'
  const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
  const live = {
    share: (id: ItemId, _message: unknown, _extra: string, _to?: DeviceId, to?: readonly DeviceId[]) => {
      log.push(`share ${id}`)
      inClear.push(to)
    },
    deletions: [],
  } as Partial<LiveBeam> as LiveBeam
  const tell = (command: EngineCommand) => {
    log.push(command.do)
    if (command.do === 'offer') seals.push(command.seal)
  }
  const hold = (_id: ItemId, file: Blob) => void held.push(file)
  const transfers = { tell, hold } as Partial<Transfers> as Transfers
  context = { stores, transfers, toaster: createToaster(stores.toasts), live: () => live }
  sharing = createSharing(context, new UploadNews(stores.transfers, context.toaster))
})
afterEach(() => vi.unstubAllGlobals())

describe('an upload', () => {
  it('renews a stale login before it begins', async () => {
    stores.account.setState({ status: 'authenticated', user: ADA }, true)
    const answers = [
      answer(401, { detail: 'Log in first.', code: 'unauthorized' }),
      answer(200, { user: ADA }),
    ]
    vi.stubGlobal('fetch', async (path: string) => {
      log.push(path)
      return answers.shift()
    })
    renewLoginBy(async () => {
      log.push('renew')
      return 'renewed'
    })
    sharing.shareFiles([picture()])
    await vi.waitFor(() => expect(log).toContain('upload'))
    expect(log).toEqual(['/api/auth/me', 'renew', '/api/auth/me', 'upload'])
  })

  it('of a file that was changed on the disk ends with words, and nothing is shared', async () => {
    const file = picture()
    file.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error('changed')) })
    vi.stubGlobal(
      'XMLHttpRequest',
      class extends FakeRequest {
        onerror = () => {}
        override send() {
          queueMicrotask(() => this.onerror())
        }
      },
    )
    sharing.shareFiles([file])
    const told = () => stores.toasts.getState().toasts.map(({ text }) => text)
    const words = '“a.png” has changed since it was shared. Share it as a new file.'
    await vi.waitFor(() => expect(told()).toContain(words))
    expect(stores.items.getState().items).toEqual([])
    expect(log).toEqual([])
  })

  it('e12_goes_in_clear_text_to_no_device_that_is_chosen_while_it_is_under_way', async () => {
    sharing.shareFiles([picture()])
    await vi.waitFor(() => expect(log).toContain('upload'))
    stores.clearCopies.setState({ to: new Set(['plain' as DeviceId]) }, true)
    const phone = { device_id: 'phone' as DeviceId, name: 'Phone', caps: ['files' as const] }
    stores.devices.setState((state) => reduceDevices(state, { type: 'listed', devices: [phone] }), true)
    await vi.waitFor(() => expect(inClear).toEqual([[]]))
  })

  it('without a login does not ask for one', async () => {
    vi.stubGlobal('fetch', () => log.push('asked'))
    stores.account.setState({ status: 'anonymous' }, true)
    sharing.shareFiles([picture()])
    await vi.waitFor(() => expect(log).toEqual(['upload']))
  })
})

describe('a beam that is closed for good', () => {
  const stops = (why: 'unreachable' | 'ended' | 'forbidden' | 'logged-out') =>
    stores.connection.setState({ status: 'stopped', why }, true)
  const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

  it.each(['ended', 'forbidden', 'logged-out'] as const)('takes nothing, and says so (%s)', (why) => {
    stops(why)
    expect(sharing.shareText('hello')).toBe(false)
    sharing.shareFiles([picture()])
    expect(log).toEqual([])
    expect(stores.items.getState().items).toEqual([])
    expect(toasts()).toEqual(['This beam is closed here. Make or join another one, then share.'])
  })

  it('is not one that is only out of reach', () => {
    stops('unreachable')
    expect(sharing.shareText('hello')).toBe(true)
    expect(stores.items.getState().items).toHaveLength(1)
  })
})

describe('a picture while another device is here', () => {
  beforeEach(() => {
    const phone = { device_id: 'phone' as never, name: 'Phone', caps: ['files' as const] }
    stores.devices.setState({ devices: [phone] })
    stores.account.setState({ status: 'anonymous' }, true)
  })

  it('is sent to that device directly, and to the server only once the beam is saved', async () => {
    sharing.shareFileAs('a' as ItemId, picture())
    expect(log).toEqual(['offer', 'share a'])
    const saved = { beam_name: 'Cabin', role: 'owner', link_access: 'write', by_link: false } as const
    stores.access.setState({ kind: 'saved', saved }, true)
    await vi.waitFor(() => expect(log).toEqual(['offer', 'share a', 'upload']))
  })
})

describe('a file that a reload lost', () => {
  const note = (name: string, text = 'four', lastModified = 1) => new File([text], name, { lastModified })
  const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
  const transfer = () => stores.transfers.getState().transfers['a' as ItemId]

  beforeEach(() => {
    stores.account.setState({ status: 'anonymous' }, true)
    sharing.shareFileAs('a' as ItemId, note('a.txt'))
    stores.transfers.setState(
      {
        transfers: { ['a' as ItemId]: { role: 'lost', asks: false, to: {} } },
        held: new Set(),
        parts: new Set(),
        beams: 0,
      },
      true,
    )
    stores.toasts.setState({ toasts: [] }, true)
    log = []
  })

  it('is offered again under its item when the person chooses it again', async () => {
    await sharing.shareAgain(['a' as ItemId], files([note('a.txt')]))
    expect(log).toEqual(['offer'])
    expect(transfer()).toEqual({ role: 'sending', to: {}, url: 'blob:a' })
    expect(toasts()).toEqual([])
  })

  it.each([
    ['of another name', note('b.txt'), '“b.txt” is another file. Choose “a.txt”.'],
    [
      'of another size',
      note('a.txt', 'fifth'),
      '“a.txt” has changed since it was shared. Share it as a new file.',
    ],
    [
      'that was written since',
      note('a.txt', 'four', 2),
      '“a.txt” has changed since it was shared. Share it as a new file.',
    ],
  ])('is not replaced by a file %s', async (_which, file, words) => {
    await sharing.shareAgain(['a' as ItemId], files([file]))
    expect(log).toEqual([])
    expect(transfer()).toEqual({ role: 'lost', asks: false, to: {} })
    expect(toasts()).toEqual([words])
  })
})

describe('a file that a reload lost and that kept its name, size and time', () => {
  const note = (text = 'four') => new File([text], 'a.txt', { lastModified: 1 })
  const changed = note('five')
  const transfer = () => stores.transfers.getState().transfers[A]?.role
  const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
  const A = 'a' as ItemId
  const CHANGED = '“a.txt” has changed since it was shared. Share it as a new file.'
  let remembered: [ItemId, Blob][]

  beforeEach(() => {
    stores.account.setState({ status: 'anonymous' }, true)
    remembered = []
    sharing = createSharing(context, new UploadNews(stores.transfers, context.toaster), {
      shared: (id, file) => void remembered.push([id, file]),
      isSame: async (_, file) => file !== changed,
      listOf: async () => null,
    })
    sharing.shareFileAs(A, note())
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'lost', id: A, asks: false }), true)
    stores.toasts.setState({ toasts: [] }, true)
    log = []
    remembered = []
  })

  it('is not offered where its content is another, and the person is told why', async () => {
    await sharing.shareAgain([A], files([changed]))
    expect([transfer(), log, toasts()]).toEqual(['lost', [], [CHANGED]])
    await sharing.offerSame(A, files([changed]), false)
    expect([transfer(), log, toasts()]).toEqual(['lost', [], [CHANGED]])
    stores.toasts.setState({ toasts: [] }, true)
    await sharing.offerSame(A, files([changed]), true)
    expect(toasts()).toEqual([CHANGED])
    expect(remembered).toEqual([])
  })

  it('is offered where it is the same, once', async () => {
    await Promise.all([note(), note()].map((file) => sharing.offerSame(A, files([file]), true)))
    expect([transfer(), log, toasts()]).toEqual(['sending', ['offer'], []])
    expect(remembered).toHaveLength(1)
  })
})

describe('files of one card that a reload lost', () => {
  const note = (name: string, text = 'four', lastModified = 1) => new File([text], name, { lastModified })
  const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
  const ids = () => stores.items.getState().items.map(({ id }) => id)
  const roles = () => ids().map((id) => stores.transfers.getState().transfers[id]?.role)

  beforeEach(() => {
    stores.account.setState({ status: 'anonymous' }, true)
    // Two of them differ by nothing but their folder.
    sharing.shareFiles([note('a.txt'), note('b.txt'), note('b.txt'), note('c.txt')])
    const lose = (id: ItemId) =>
      stores.transfers.setState((state) => reduceTransfers(state, { type: 'lost', id, asks: false }), true)
    ids().forEach(lose)
    stores.toasts.setState({ toasts: [] }, true)
    log = []
  })

  it('are each offered under its own item when they are chosen together', async () => {
    await sharing.shareAgain(ids(), files([note('b.txt'), note('c.txt'), note('a.txt'), note('b.txt')]))
    expect(roles()).toEqual(['sending', 'sending', 'sending', 'sending'])
    expect(log).toEqual(['offer', 'offer', 'offer', 'offer'])
    expect(toasts()).toEqual([])
  })

  it('are offered as far as they fit, and one toast says how many do not', async () => {
    const changed = note('c.txt', 'four', 2)
    await sharing.shareAgain(ids(), files([note('a.txt'), changed, note('d.txt')]))
    expect(roles()).toEqual(['sending', 'lost', 'lost', 'lost'])
    expect(toasts()).toEqual([
      '2 of the files you chose are not among these, or have changed since they were shared.',
    ])
  })

  it('may be chosen in parts, and those that are here already fit without a word', async () => {
    await sharing.shareAgain(ids(), files([note('a.txt')]))
    await sharing.shareAgain(ids(), files([note('a.txt'), note('c.txt')]))
    expect(log).toEqual(['offer', 'offer'])
    expect(roles()).toEqual(['sending', 'lost', 'lost', 'sending'])
    expect(toasts()).toEqual([])
  })
})

describe('files that are shared together', () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => new File(['x'], `${at}.bin`))
  const batches = () =>
    cardsOf(stores.items.getState().items).map((card) => (isBatch(card) ? card.content.files.length : 0))
  const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

  it('f14_are_one_batch_in_their_order_and_a_single_file_is_none', () => {
    sharing.shareFiles(files(1))
    expect(batches()).toEqual([0])
    sharing.shareFiles(files(9))
    expect(batches()).toEqual([0, 9])
    expect(toasts()).toContain('Uploading 9 files')
    const names = stores.items
      .getState()
      .items.slice(1)
      .map(({ content }) => content.kind === 'file' && content.name)
    expect(names).toEqual(files(9).map(({ name }) => name))
  })

  /** The number of files of each item that has a manifest. */
  const packs = () =>
    stores.items
      .getState()
      .items.flatMap(({ content }) =>
        content.kind === 'file' && content.manifest ? [content.manifest.files] : [],
      )

  it('f16_are_one_item_beyond_200', async () => {
    sharing.shareFiles(files(200))
    expect([batches(), packs()]).toEqual([[200], []])
    sharing.shareFiles(files(201))
    await vi.waitFor(() => expect([batches(), packs()]).toEqual([[200, 0], [201]]))
    expect(toasts()).toContain('Uploading 201 files')
  })

  it('f16_and_folders_are_an_item_each_or_one_where_there_is_no_room_for_each', async () => {
    const folder = (name: string) => ({ name, files: [], folders: [name] })
    const names = () =>
      stores.items.getState().items.map(({ content }) => content.kind === 'file' && content.name)
    sharing.shareFolders([folder('a'), folder('b')])
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b']))
    stores.limits.setState({ live_items: 3, stored_items: 4 })
    sharing.shareFolders([folder('c'), folder('d')])
    await vi.waitFor(() => expect(names()).toEqual(['a', 'b', '2 folders']))
    sharing.shareFolders([folder('e')])
    await vi.waitFor(() => expect(names().at(-1)).toBe('e'))
    expect(toasts()).toContain('Uploading e')
  })

  it('f16_are_one_item_when_earlier_items_would_be_dropped_for_them', async () => {
    stores.limits.setState({ live_items: 3, stored_items: 4 })
    sharing.shareFiles(files(2))
    sharing.shareFiles(files(2))
    await vi.waitFor(() => expect([batches(), packs()]).toEqual([[2, 0], [2]]))
    stores.keeping.setState({ kept: { until: 1, by: 'phone' as DeviceId } })
    sharing.shareFiles(files(1))
    sharing.shareFiles(files(2))
    await vi.waitFor(() =>
      expect([batches(), packs()]).toEqual([
        [2, 0, 0, 0],
        [2, 2],
      ]),
    )
  })

  it('f16_say_that_all_of_them_arrived_once_their_item_did', () => {
    const news = new UploadNews(stores.transfers, createToaster(stores.toasts))
    const id = 'a' as ItemId
    news.began([{ id, name: '300 files', manifest: { files: 300, bytes: 9 } }])
    expect(toasts()).toEqual(['Uploading 300 files'])
    news.arrived(id, '300 files')
    news.arrived(id, '300 files')
    expect(toasts()).toEqual(['Uploaded 300 files Successfully!'])
  })
})

describe('f13_files_in_a_saved_or_kept_beam', () => {
  const saved = { beam_name: 'Cabin', role: 'write', link_access: 'write', by_link: true } as const
  const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
  beforeEach(() => {
    stores.access.setState({ kind: 'saved', saved }, true)
    stores.account.setState({ status: 'anonymous' }, true)
  })

  it('that do not fit are shown at once, named, and not uploaded', async () => {
    vi.stubGlobal('fetch', async () => answer(200, { largest: 3, free: 3 }))
    sharing.shareFiles([picture()])
    expect(stores.items.getState().items).toHaveLength(1)
    await vi.waitFor(() => expect(log).toEqual(['offer', expect.stringMatching(/^share /)]))
    expect(toasts()).toContain('“a.png” (4 B) stays on this device only: this beam has 3 B left.')
  })

  it('that do not fit in a kept beam are named too', async () => {
    stores.access.setState({ kind: 'unsaved', creator: false }, true)
    stores.keeping.setState({ kept: { until: 1, by: 'phone' as DeviceId } })
    vi.stubGlobal('fetch', async () => answer(200, { largest: 3, free: 3 }))
    sharing.shareFiles([picture()])
    await vi.waitFor(() => expect(log).toEqual(['offer', expect.stringMatching(/^share /)]))
    expect(toasts()).toContain('“a.png” (4 B) stays on this device only: this beam has 3 B left.')
  })

  const asks = () => {
    let resolve: (response: Response) => void = () => {}
    const said = new Promise<Response>((done) => {
      resolve = done
    })
    const fetch = vi.fn(() => said)
    vi.stubGlobal('fetch', fetch)
    return { fetch, says: (largest: number) => resolve(answer(200, { largest, free: largest })) }
  }
  const phoneIsHere = () =>
    stores.devices.setState({ devices: [{ device_id: 'phone' as DeviceId, name: '', caps: ['files'] }] })

  it('are offered to the devices before the server says what fits, and uploaded after', async () => {
    phoneIsHere()
    const { says } = asks()
    sharing.shareFileAs('a' as ItemId, picture())
    expect(log).toEqual(['offer', 'share a'])
    says(9)
    await vi.waitFor(() => expect(log).toEqual(['offer', 'share a', 'upload']))
  })

  it('are not stored when they are deleted meanwhile', async () => {
    const { says } = asks()
    sharing.shareFileAs('a' as ItemId, picture())
    sharing.shareFileAs('b' as ItemId, picture())
    stores.transfers.setState(
      (state) => reduceTransfers(state, { type: 'forgotten', id: 'a' as ItemId }),
      true,
    )
    says(9)
    await vi.waitFor(() => expect(log).toEqual(['upload']))
    expect(Object.keys(stores.transfers.getState().transfers)).toEqual(['b'])
  })

  it('s33_are_not_asked_about_when_they_are_for_one_device', () => {
    const { fetch } = asks()
    sharing.shareFiles([picture()], { to: 'phone' as DeviceId })
    expect(log).toEqual(['offer', expect.stringMatching(/^share /)])
    expect(fetch).not.toHaveBeenCalled()
  })

  it('are shared and uploaded when the server does not say', async () => {
    vi.stubGlobal('fetch', async () => answer(503, {}))
    sharing.shareFiles([picture()])
    await vi.waitFor(() => expect(log).toEqual(['upload']))
  })
})

it('s4_a_text_that_is_longer_than_the_server_takes_is_shared_as_a_file', () => {
  stores.limits.setState({ message_bytes: 2_000 })
  sharing.shareText('a'.repeat(900))
  sharing.shareText('b'.repeat(1_000))
  expect(stores.items.getState().items.map(({ content }) => content.kind)).toEqual(['text', 'file'])
})

it('s33_a_file_for_one_device_is_never_uploaded', () => {
  sharing.shareFiles([picture()], { to: 'phone' as DeviceId })
  const [item] = stores.items.getState().items
  expect(item?.to).toBe('phone')
  expect(log).toEqual(['offer', `share ${item?.id}`])
})

it('s33_a_change_of_an_item_for_one_device_stays_between_the_two', () => {
  const me = 'me' as DeviceId
  stores.devices.setState({ me })
  const received = {
    id: 'a' as ItemId,
    seq: 1,
    from: 'phone' as DeviceId,
    at: 0,
    extra: 'text',
    message: 'a',
  }
  const forMe = liveItem({ ...received, to: me }, null)
  stores.items.setState({
    items: [forMe, { ...forMe, id: 'b' as ItemId, from: me, to: 'phone' as DeviceId }],
  })
  expect(addresseeOf(stores, 'a' as ItemId)).toBe('phone')
  expect(addresseeOf(stores, 'b' as ItemId)).toBe('phone')
  expect(addresseeOf(stores, 'c' as ItemId)).toBeUndefined()
})

describe('e7 a file in a sealed beam', () => {
  const A = 'a' as ItemId
  const note = () => new File(['four'], 'a.txt', { lastModified: 1 })
  const contents = () =>
    stores.items.getState().items.flatMap(({ content }) => (content.kind === 'file' ? [content] : []))

  beforeEach(() => {
    stores.account.setState({ status: 'anonymous' }, true)
    sharing = createSharing(
      context,
      new UploadNews(stores.transfers, context.toaster),
      undefined,
      newFileSeal,
    )
  })

  it('has a seal of its own, in its item and where it is offered', () => {
    sharing.shareFiles([note(), note()])
    const made = contents().map(({ seal }) => seal)
    expect(made.every((seal) => seal !== undefined)).toBe(true)
    expect(new Set(made.map((seal) => seal?.key)).size).toBe(2)
    expect(seals).toEqual(made)
  })

  it('keeps its seal when a reload has lost it and it is chosen again', async () => {
    sharing.shareFileAs(A, note())
    const lost = { type: 'lost', id: A, asks: false } as const
    stores.transfers.setState((state) => reduceTransfers(state, lost), true)
    await sharing.shareAgain([A], files([note()]))
    expect(seals).toHaveLength(2)
    expect(seals[1]).toEqual(contents()[0]?.seal)
    expect(seals[1]).toEqual(seals[0])
  })

  it('keeps its seal when it was deleted and comes back', () => {
    sharing.shareFileAs(A, note())
    const [item] = stores.items.getState().items
    if (item) sharing.offerAgain(item, note())
    expect(seals[1]).toEqual(seals[0])
  })

  it('is stored first when it is a medium and nobody is here, and offered to devices when it is not', async () => {
    sharing.shareFiles([picture()])
    await vi.waitFor(() => expect(log).toEqual(['upload']))
    sharing.shareFiles([note()])
    expect(log).toEqual(['upload', 'offer', expect.stringMatching(/^share /)])
  })

  it('e12_can_be_offered_to_plain_devices_when_it_is_stored_first', () => {
    const first = picture()
    sharing.shareFiles([first])
    expect(held[0]).toBe(first)
    expect(log).not.toContain('offer')
  })

  it('has none where nothing is sealed', () => {
    sharing = createSharing(context, new UploadNews(stores.transfers, context.toaster))
    sharing.shareFiles([note()])
    expect(contents()[0]).not.toHaveProperty('seal')
    expect(seals).toEqual([undefined])
  })
})
