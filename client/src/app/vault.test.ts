// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { VaultActions } from '../features/vault-actions'
import type { Beam, BeamDetails, BeamId } from '../protocol/bindings'
import type { HowKept, PersonKeys, VaultState } from '../protocol/vaults'
import { reduceBeams } from '../stores/beams'
import { createStores, type Stores } from '../stores/stores'
import type { Deposited } from '../transport/having'
import { hasKnownVault, rememberVault } from './known-vaults'
import { createToaster } from './toaster'
import { createVault, endsTrust } from './vault'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const ada = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }
const beam = (beam_id: BeamId) =>
  ({ beam_id, beam_name: 'Cabin', created_at: 0, link_access: 'none' }) as Beam

vi.mock('../transport/account-calls', () => ({ readMe: async () => null }))
vi.mock('../transport/beam-calls', () => ({ listBeams: () => lists() }))

const OPEN: VaultState = { is: 'open', fingerprint: '12345' }
const bob: PersonKeys = { username: 'bob', fingerprint: '54321', hasKeys: false }
let kept: Record<BeamId, HowKept>
let people: readonly PersonKeys[]
let entered: VaultState
let enter: () => Promise<VaultState>
let lists: () => Promise<readonly Beam[]>
const calls: string[] = []
const owned: BeamId[] = []
let went: Deposited['went']
/** What the server has after a deposit. */
let afterDeposit: () => void
const door = {
  enterVault: () => enter(),
  leaveVault: async () => void calls.push('leave'),
  beginVault: async () => ['one', 'two'],
  createVault: vi.fn(async () => 'done' as const),
  changePassword: vi.fn(async () => 'wrong-password' as const),
  recoverVault: vi.fn(async () => 'wrong-words' as const),
  ownBeams: async (beams: readonly BeamId[]) => void owned.push(...beams),
  howKept: async () => kept,
  peopleOf: async () => people,
  trust: async (_: BeamId, person: string, fingerprint: string) => {
    calls.push(`trust ${person} ${fingerprint}`)
    return fingerprint === bob.fingerprint
  },
  depositSaved: async () => {
    calls.push('deposit')
    afterDeposit()
    return { went } as Deposited
  },
  distrust: async (_: BeamId, person: string) => void calls.push(`distrust ${person}`),
  prove: async () => '',
  keepOpener: async () => {},
  loggedInAsTyped: async () => {},
}

/** The channels of this page, and of the others. */
let channels: Set<Channel>
class Channel {
  onmessage = (_: { data: unknown }) => {}
  constructor(readonly name: string) {
    channels.add(this)
  }
  postMessage(data: unknown): void {
    for (const other of channels) if (other !== this && other.name === this.name) other.onmessage({ data })
  }
  close(): void {
    channels.delete(this)
  }
}

let stores: Stores
let vault: VaultActions
/** Removes the listeners that this page added to the window. */
let leaves: AbortController
const rekeyed: BeamId[] = []
const opened = vi.fn()
const known = () => stores.vault.getState()

beforeEach(() => {
  localStorage.clear()
  channels = new Set()
  vi.stubGlobal('BroadcastChannel', Channel)
  for (const list of [calls, rekeyed, owned]) list.length = 0
  went = 'into-vaults'
  afterDeposit = () => {}
  kept = { [BEAM]: 'sealed' }
  people = [bob]
  entered = OPEN
  enter = async () => entered
  lists = async () => [beam(BEAM)]
  leaves = new AbortController()
  const listen = window.addEventListener.bind(window)
  vi.stubGlobal('addEventListener', (type: string, listener: EventListener) =>
    listen(type, listener, { signal: leaves.signal }),
  )
  stores = createStores()
  const rekey = (id: BeamId) => void rekeyed.push(id)
  opened.mockClear()
  vault = createVault({ stores, toaster: createToaster(stores.toasts), door, rekey, opened })
})

afterEach(() => {
  leaves.abort()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const logsIn = () => stores.account.setState({ status: 'authenticated', user: ada }, true)
const opensSharing = (of = BEAM) =>
  stores.beams.setState((state) => {
    const details = { beam: beam(of), role: 'owner', owner: ada, shares: [] } as BeamDetails
    const opened = reduceBeams(state, { type: 'sharingOpened', beam: beam(of) })
    return reduceBeams(opened, { type: 'sharingLoaded', details })
  }, true)
const listsCome = () =>
  stores.beams.setState(
    (state) => reduceBeams(state, { type: 'loaded', lists: { mine: [beam(BEAM)], withMe: [], byMe: [] } }),
    true,
  )

it('e17 a vault opens with the login, is remembered, and closes with its end', async () => {
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual(OPEN))
  expect(hasKnownVault('ada')).toBe(true)
  stores.account.setState({ status: 'anonymous' }, true)
  expect([known().own, calls]).toEqual([null, ['leave']])
})

describe('e17 a vault whose login has ended while no page was open', () => {
  it('is left by the next page, once the server has said that nobody is logged in', () => {
    rememberVault('ada')
    stores.account.setState({ status: 'anonymous', isGuess: true }, true)
    expect(calls).toEqual([])
    stores.account.setState({ status: 'anonymous' }, true)
    expect(calls).toEqual(['leave'])
  })

  it('is not looked for where nobody had one', () => {
    stores.account.setState({ status: 'anonymous' }, true)
    expect(calls).toEqual([])
  })
})

it.each([
  ['the server does not tell', async (): Promise<VaultState> => ({ is: 'unknown' })],
  ['the worker of the keys has failed', () => Promise.reject(new Error('failed'))],
])('e17 a vault of which nothing is known, because %s, is tried again', async (_, fails) => {
  vi.useFakeTimers()
  enter = fails
  logsIn()
  await vi.advanceTimersByTimeAsync(0)
  expect(known().own).toEqual({ is: 'unknown' })
  enter = async () => OPEN
  await vi.advanceTimersToNextTimerAsync()
  expect(known().own).toEqual(OPEN)
  expect(vi.getTimerCount()).toBe(0)
})

it('e17 a vault is not tried again once its person has logged out', async () => {
  vi.useFakeTimers()
  enter = vi.fn(async (): Promise<VaultState> => ({ is: 'unknown' }))
  logsIn()
  await vi.advanceTimersByTimeAsync(0)
  stores.account.setState({ status: 'anonymous' }, true)
  await vi.runAllTimersAsync()
  expect([known().own, vi.mocked(enter).mock.calls.length]).toEqual([null, 1])
})

it('e17 a vault that another page of the browser has opened is open here too', async () => {
  entered = { is: 'none' }
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual({ is: 'none' }))
  entered = OPEN
  rememberVault('ada')
  window.dispatchEvent(new StorageEvent('storage', { key: 'accounts with a vault' }))
  await vi.waitFor(() => expect(known().own).toEqual(OPEN))
  await vi.waitFor(() => expect(owned).toEqual([BEAM]))
})

describe('e17 a vault that is locked here', () => {
  /** Another page, which hears what this one says. */
  const other = () => new Channel('opened-vaults')
  beforeEach(async () => {
    entered = { is: 'locked', needsWords: true }
    enter = vi.fn(async () => entered)
    logsIn()
    await vi.waitFor(() => expect(known().own).toEqual(entered))
  })

  it('is open once another page of the browser has opened it', async () => {
    entered = OPEN
    other().postMessage({ username: 'ada', own: OPEN })
    await vi.waitFor(() => expect(known().own).toEqual(OPEN))
    expect(opened).toHaveBeenCalledOnce()
  })

  it('is not looked for because another page has opened the one of somebody else', () => {
    other().postMessage({ username: 'bob', own: OPEN })
    expect(enter).toHaveBeenCalledOnce()
  })

  it('is told to be open to the other pages once it is, and not again', async () => {
    const heard = vi.fn()
    other().onmessage = ({ data }) => heard(data)
    entered = OPEN
    for (const _ of [1, 2]) door.recoverVault.mockResolvedValueOnce('done' as never)
    await vault.recover('zoo', 'given', 'new')
    expect(heard.mock.calls).toEqual([[{ username: 'ada', own: OPEN }]])
    const asked = vi.mocked(enter).mock.calls.length
    other().postMessage({ username: 'ada', own: OPEN })
    await vault.recover('zoo', 'given', 'new')
    expect([heard.mock.calls.length, vi.mocked(enter).mock.calls.length]).toEqual([2, asked + 1])
  })

  it('is looked for again where another page has opened another one in its place', async () => {
    entered = OPEN
    other().postMessage({ username: 'ada', own: OPEN })
    await vi.waitFor(() => expect(known().own).toEqual(OPEN))
    const replaced: VaultState = { is: 'open', fingerprint: '99999' }
    entered = replaced
    other().postMessage({ username: 'ada', own: replaced })
    await vi.waitFor(() => expect(known().own).toEqual(replaced))
  })
})

it('e17 an account that was made anew, without a vault, is not remembered to have one', async () => {
  rememberVault('ada')
  entered = { is: 'none' }
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual({ is: 'none' }))
  expect(hasKnownVault('ada')).toBe(false)
})

it('e18 how keys are kept is known whichever comes first, the lists or the vault', async () => {
  listsCome()
  logsIn()
  await vi.waitFor(() => expect(known().kept).toEqual({ [BEAM]: 'sealed' }))
})

it('e18 how keys are kept is known once the vault is open, also where the lists came before that', async () => {
  entered = { is: 'locked', needsWords: true }
  kept = {}
  logsIn()
  listsCome()
  await vi.waitFor(() => expect(known().own).toEqual(entered))
  kept = { [BEAM]: 'sealed' }
  stores.vault.setState({ own: OPEN })
  await vi.waitFor(() => expect(known().kept).toEqual({ [BEAM]: 'sealed' }))
})

it('e18 how keys are kept is known once this page has deposited them, however late an earlier answer comes', async () => {
  kept = {}
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual(OPEN))
  let answersLate = (_: typeof kept) => {}
  const late = new Promise<typeof kept>((resolve) => (answersLate = resolve))
  vi.spyOn(door, 'howKept').mockReturnValueOnce(late)
  listsCome()
  kept = { [BEAM]: 'sealed' }
  stores.vault.setState(({ deposits }) => ({ deposits: deposits + 1 }))
  await vi.waitFor(() => expect(known().kept).toEqual({ [BEAM]: 'sealed' }))
  answersLate({})
  await late
  expect(known().kept).toEqual({ [BEAM]: 'sealed' })
})

it('e18 how keys are kept is known once own beams have come into the vault', async () => {
  kept = { [BEAM]: 'readable' }
  afterDeposit = () => {
    kept = { [BEAM]: 'sealed' }
  }
  listsCome()
  logsIn()
  await vi.waitFor(() => expect(known().kept).toEqual({ [BEAM]: 'sealed' }))
})

it('e18 the people of a beam are known while its Share dialog is open', async () => {
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual(OPEN))
  opensSharing()
  await vi.waitFor(() => expect(known().people).toEqual([bob]))
  stores.beams.setState((state) => reduceBeams(state, { type: 'sharingClosed' }), true)
  expect(known().people).toEqual([])
})

it('e18 the keys of the beam are looked for again once a vault is open that was not before', async () => {
  entered = { is: 'locked', needsWords: true }
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual(entered))
  expect(opened).not.toHaveBeenCalled()
  entered = OPEN
  door.recoverVault.mockResolvedValueOnce('done' as never)
  await vault.recover('zoo', 'given', 'new')
  expect(opened).toHaveBeenCalledOnce()
})

it.each([
  ['where it is asked for with the dialog', () => opensSharing(OTHER)],
  ['where it is asked for as keys are handed', () => vault.handKeys(OTHER, 'bob')],
])('e18 the people of a beam do not show in the Share dialog of another one, %s', async (_, asks) => {
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual(OPEN))
  let answersLate = (_: typeof people) => {}
  const late = new Promise<typeof people>((resolve) => (answersLate = resolve))
  const spy = vi.spyOn(door, 'peopleOf').mockReturnValueOnce(late)
  const asked = asks()
  await vi.waitFor(() => expect(spy).toHaveBeenCalledWith(OTHER))
  stores.beams.setState((state) => reduceBeams(state, { type: 'sharingClosed' }), true)
  opensSharing()
  await vi.waitFor(() => expect(known().people).toEqual([bob]))
  answersLate([{ ...bob, hasKeys: true }])
  await late
  await asked
  expect(known().people).toEqual([bob])
  spy.mockRestore()
})

it('e18 own beams whose keys the server has get new ones with the vault, and those of others do not', async () => {
  kept = { [BEAM]: 'readable', [OTHER]: 'readable' }
  went = 'exposed'
  logsIn()
  expect(await vault.create('old', 'new')).toEqual({ ok: true })
  await vi.waitFor(() => expect(rekeyed).toEqual([BEAM]))
})

it.each([
  ['password', () => vault.changePassword('old', 'new')],
  ['words', () => vault.recover('zoo', 'old', 'new')],
] as const)('e17 a wrong %s is told at its field', async (field, change) => {
  expect(await change()).toMatchObject({ ok: false, fields: { [field]: expect.any(String) } })
})

it('e17 a person whose words were lost while they wrote them down is told to start over', async () => {
  door.createVault.mockResolvedValueOnce('words-lost' as never)
  expect(await vault.create('old', 'new')).toMatchObject({
    ok: false,
    whole: expect.stringMatching(/start over/),
  })
})

it('e18 own beams whose keys the server still has get new ones whenever the vault is opened', async () => {
  kept = { [BEAM]: 'readable' }
  went = 'exposed'
  logsIn()
  await vi.waitFor(() => expect(rekeyed).toEqual([BEAM]))
})

it('e18 own beams whose new keys did not come into the vault get no other ones when it is opened', async () => {
  kept = { [BEAM]: 'readable' }
  logsIn()
  await vi.waitFor(() => expect(calls).toEqual(['deposit']))
  expect([rekeyed, toasts()]).toEqual([[], []])
})

it('e18 own beams that are sealed to an earlier vault come into the one of now from a device that has their keys', async () => {
  kept = { [BEAM]: 'not-in-vault' }
  logsIn()
  await vi.waitFor(() => expect(calls).toEqual(['deposit']))
  // On a device without them the list of beams says so.
  went = 'nowhere'
  stores.vault.setState({ own: null })
  stores.vault.setState({ own: OPEN })
  await vi.waitFor(() => expect(calls).toEqual(['deposit', 'deposit']))
  expect([rekeyed, toasts()]).toEqual([[], []])
})

it.each(['nowhere', 'not-yet'] as const)(
  'e18 the person is told of own beams whose keys go %s when the vault is opened',
  async (where) => {
    kept = { [BEAM]: 'readable' }
    went = where
    logsIn()
    await vi.waitFor(() => expect(toasts()).toEqual(['bad']))
    expect(rekeyed).toEqual([])
  },
)

it('e18 own beams are told once the vault is open, however often the server fails to list them', async () => {
  vi.useFakeTimers()
  lists = vi.fn(async () => [beam(BEAM)]).mockRejectedValueOnce(new Error('no answer'))
  logsIn()
  await vi.advanceTimersByTimeAsync(0)
  expect(owned).toEqual([])
  await vi.advanceTimersToNextTimerAsync()
  expect(owned).toEqual([BEAM])
})

it('e18 own beams are told before it is asked how their keys are kept', async () => {
  entered = { is: 'locked', needsWords: false }
  let before = -1
  const spy = vi.spyOn(door, 'howKept').mockImplementation(async () => {
    if (before < 0) before = owned.length
    return kept
  })
  logsIn()
  await vi.waitFor(() => expect(known().own).toEqual(entered))
  listsCome()
  await vi.waitFor(() => expect(known().kept).toEqual({ [BEAM]: 'sealed' }))
  expect(before).toBeGreaterThan(0)
  spy.mockRestore()
})

/** The person shares the beam with another one, while their vault is open. */
const shares = async (shown?: string) => {
  stores.vault.setState({ own: OPEN })
  await vault.handKeys(BEAM, 'bob', shown)
}
const toasts = () => stores.toasts.getState().toasts.map(({ tone }) => tone)

it('e18 keys are handed to a person with a vault, of a beam whose keys are in vaults', async () => {
  afterDeposit = () => {
    people = [{ ...bob, hasKeys: true }]
  }
  await shares()
  expect([calls, toasts()]).toEqual([['trust bob 54321', 'deposit'], ['ok']])
})

it.each([
  ['whose keys went nowhere', 'nowhere', [{ ...bob, hasKeys: true }]],
  ['whose keys went into other vaults', 'into-vaults', [bob]],
  ['in which they have no share any more', 'into-vaults', []],
] as const)('e18 nobody is told to be able to open a beam %s', async (_, where, then) => {
  went = where
  afterDeposit = () => {
    people = then
  }
  await shares()
  expect(toasts()).toEqual(['bad'])
})

it('e18 a beam whose key the server may have gets a new one for a person who is to open it', async () => {
  went = 'exposed'
  await shares()
  expect([rekeyed, toasts()]).toEqual([[BEAM], []])
})

it.each([
  ['the person has no vault', () => (people = [{ ...bob, fingerprint: null }])],
  ['the server has the keys of the beam', () => (kept = { [BEAM]: 'readable' })],
  ['no keys of the beam are kept', () => (kept = {})],
])('e18 keys are handed to nobody where %s', async (_, arrange) => {
  arrange()
  await shares()
  expect(calls).not.toContain('trust bob 54321')
})

it('e18 who has no vault is told nothing of one where the server does not answer after a beam was shared', async () => {
  stores.vault.setState({ own: { is: 'none' } })
  const spy = vi.spyOn(door, 'howKept').mockRejectedValue(new Error('no answer'))
  await vault.handKeys(BEAM, 'bob')
  expect([calls, toasts()]).toEqual([[], []])
  spy.mockRestore()
})

it('e18 keys are handed to nobody who has another vault than the one that was compared', async () => {
  await shares('00000')
  expect(calls).toEqual(['trust bob 00000'])
  expect(stores.toasts.getState().toasts.at(-1)?.text).toMatch(/Compare them again/)
})

it('e18 a person who is to lose a share can open no new keys of the beam, where the vault is open', async () => {
  const ends = endsTrust({ stores, door })
  await ends(BEAM, 'bob')
  expect(calls).toEqual([])
  stores.vault.setState({ own: OPEN })
  await vi.waitFor(() => expect(owned).toEqual([BEAM]))
  await ends(BEAM, 'bob')
  expect(calls).toContain('distrust bob')
})
