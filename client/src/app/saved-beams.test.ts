// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamActions } from '../features/beam-actions'
import type { Beam, BeamId, BeamShare } from '../protocol/bindings'
import { createStores, type Stores } from '../stores/stores'
import { HttpError } from '../transport/http'
import { createSavedBeams } from './saved-beams'
import { createToaster } from './toaster'

const BEAM = { beam_id: 'beam', beam_name: 'Trip' } as Beam
const SHARE = { id: 'share', beam: BEAM, shared_with: 'grace', share_type: 'read' } as BeamShare

let answer: () => Promise<unknown>
vi.mock('../transport/beam-calls', () => {
  const names = [
    'listBeams',
    'listSharedWithMe',
    'listMyShares',
    'shareBeam',
    'changeShare',
    'removeShare',
    'readBeam',
    'changeBeam',
  ]
  return Object.fromEntries(names.map((name) => [name, () => answer()]))
})

let stores: Stores
let actions: BeamActions
/** The beams that somebody may not read any more. */
let taken: BeamId[]
/** Those whose keys a later page is to change. */
let toChange: Set<BeamId>
let unsharing: (beam: BeamId, username: string) => Promise<void>
let hasNewKeys: Promise<void>
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)

beforeEach(() => {
  vi.unstubAllGlobals()
  stores = createStores()
  taken = []
  toChange = new Set()
  unsharing = async () => {}
  hasNewKeys = Promise.resolve()
  actions = createSavedBeams({
    stores,
    toaster: createToaster(stores.toasts),
    onRenewed: () => {},
    onTakingReading: (beam) => {
      toChange.add(beam)
      return () => toChange.delete(beam)
    },
    onReadingTaken: (beam) => {
      taken.push(beam)
      return hasNewKeys
    },
    onUnsharing: (beam, username) => unsharing(beam, username),
  })
})

const ada = { username: 'ada', first_name: 'Ada', last_name: '', email: '', profile_picture: null }

it.each([
  ['the beams', () => actions.load()],
  ['the shares of a beam', () => actions.openSharing(BEAM)],
])('leaves out an answer with %s that comes after the logout', async (_what, ask) => {
  stores.account.setState({ status: 'authenticated', user: ada }, true)
  let answers: (value: unknown) => void = () => {}
  const answered = new Promise((resolve) => (answers = resolve))
  const called = new Promise<void>((resolve) => {
    answer = () => {
      resolve()
      return answered
    }
  })
  const asking = ask()
  await called
  stores.account.setState({ status: 'anonymous' }, true)
  const empty = stores.beams.getState()
  answers([])
  await asking
  expect(stores.beams.getState()).toEqual(empty)
})

const FAILURES: readonly [string, () => Promise<unknown>][] = [
  ['Failed to fetch beams', () => actions.load()],
  ['Failed to share beam', () => actions.share(BEAM, 'grace', 'read')],
  ['Failed to update permissions', () => actions.changeLevel(SHARE, 'write')],
  ['Failed to remove share', () => actions.unshare(SHARE)],
]

it.each(FAILURES)('says "%s" when the server has no words of its own', async (sentence, act) => {
  answer = () => Promise.reject(new HttpError(null, 'Network Error'))
  await act()
  expect(toasts()).toEqual([sentence])
})

it.each(FAILURES)('says what the server says instead of "%s"', async (_, act) => {
  answer = () => Promise.reject(new HttpError(403, 'no', 'Only the owner may do this.'))
  await act()
  expect(toasts()).toEqual(['Only the owner may do this.'])
})

it('e1 copies the link of the beam that the page is in with its secret, of any other one without', async () => {
  const writeText = vi.fn(() => Promise.resolve())
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const invite = 'A'.repeat(43)
  const session = { beamId: BEAM.beam_id, beamKey: null, beamName: 'Trip', expiresAt: null, invite }
  stores.session.setState({ status: 'set', session }, true)
  await actions.copyLinkOf(BEAM.beam_id)
  await actions.copyLinkOf('other' as BeamId)
  await actions.copyId(BEAM.beam_id)
  const link = `${location.origin}/?beam_id=`
  expect(writeText.mock.calls).toEqual([[`${link}beam#k=${invite}`], [`${link}other`], ['beam']])
})

it('e1 says that the link of a sealed beam which it copies leads to where devices cannot open it', async () => {
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.resolve() } })
  vi.stubGlobal('location', { origin: 'http://cabin.lan', hostname: 'cabin.lan' })
  const session = { beamId: BEAM.beam_id, beamKey: null, beamName: 'Trip', expiresAt: null }
  stores.session.setState({ status: 'set', session: { ...session, invite: 'A'.repeat(43) } }, true)
  await actions.copyLinkOf(BEAM.beam_id)
  await actions.copyLinkOf('other' as BeamId)
  expect(toasts()).toEqual([
    'The link leads to a page without https, where devices cannot open this beam.',
    'Link copied successfully',
  ])
})

it.each([
  [true, 'Beam ID copied to clipboard'],
  [false, 'Failed to copy beam ID!'],
])('says whether the id was copied (the browser lets it: %s)', async (isLet, sentence) => {
  const writeText = () => (isLet ? Promise.resolve() : Promise.reject(new Error('denied')))
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  document.execCommand = () => false
  await actions.copyId(BEAM.beam_id)
  expect(toasts()).toEqual([sentence])
})

describe('e15 the keys of a beam change when somebody may not read it any more', () => {
  it.each<[string, readonly BeamId[], () => Promise<unknown>]>([
    ['by a share that is removed', [BEAM.beam_id], () => actions.unshare(SHARE)],
    ['by the link', [BEAM.beam_id], () => actions.setLinkAccess(BEAM, 'none')],
    ['and not when the link still lets read', [], () => actions.setLinkAccess(BEAM, 'read')],
    ['and not when a share still lets read', [], () => actions.changeLevel(SHARE, 'read')],
  ])('%s', async (_, beams, act) => {
    answer = async () => SHARE
    await act()
    expect(taken).toEqual(beams)
  })

  it('before what follows the removal is done, as another link', async () => {
    let make = () => {}
    hasNewKeys = new Promise((resolve) => (make = resolve))
    answer = async () => SHARE
    const order: string[] = []
    const removed = actions.unshare(SHARE).then(() => order.push('removed'))
    await vi.waitFor(() => expect(toasts()).toEqual(['Beam share removed successfully']))
    order.push('new keys')
    make()
    await removed
    expect(order).toEqual(['new keys', 'removed'])
  })

  it('and not when the server has refused it', async () => {
    answer = () => Promise.reject(new HttpError(403, 'no', 'Only the owner may do this.'))
    await actions.unshare(SHARE)
    expect([taken, [...toChange]]).toEqual([[], []])
  })

  it('by a later page, where this one is closed before the server answers', async () => {
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => (isAsked = resolve))
    answer = () => {
      isAsked()
      return new Promise(() => {})
    }
    void actions.unshare(SHARE)
    await asked
    expect([...toChange]).toEqual([BEAM.beam_id])
  })

  it.each<[string, number | null, () => Promise<unknown>]>([
    ['by a share, where no answer comes', null, () => actions.unshare(SHARE)],
    ['by a share, where a proxy has lost the answer', 502, () => actions.unshare(SHARE)],
    ['by a share, where a proxy says that there is no such thing', 404, () => actions.unshare(SHARE)],
    ['by the link, where no answer comes', null, () => actions.setLinkAccess(BEAM, 'none')],
  ])('%s', async (_, status, act) => {
    answer = () => Promise.reject(new HttpError(status, 'Network Error'))
    await act()
    expect([taken, [...toChange]]).toEqual([[BEAM.beam_id], [BEAM.beam_id]])
    expect(toasts()).toEqual([expect.stringMatching(/^Failed/)])
  })

  it('by a share that is gone already, because the answer to an earlier wish was lost', async () => {
    answer = () => Promise.reject(new HttpError(404, 'no', 'Not found.'))
    expect(await actions.unshare(SHARE)).toBe(true)
    expect([taken, toasts()]).toEqual([[BEAM.beam_id], ['Beam share removed successfully']])
  })
})

it.each([
  [
    'and not before its new keys would be sealed to that person no more',
    async () => {},
    ['without grace', 'removed'],
  ],
  ['and stays where that fails', () => Promise.reject(new Error('no answer')), ['without grace']],
])('e18 a share is removed %s', async (_, ends, expected) => {
  const done: string[] = []
  unsharing = async (_beam, username) => {
    done.push(`without ${username}`)
    await ends()
  }
  answer = async () => void done.push('removed')
  await actions.unshare(SHARE)
  expect(done).toEqual(expected)
})
