/** The way in without the link (E8), where sockets are lost, messages fail, and people are slow. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Gate } from '../transport/gate'
import { ADA, BEAM, BOB, EVE, newSecrets, Page, Server, sealing } from './sealed-beam-stage'

/** So long three tries lock a device, and so long a joiner waits before it begins again. In milliseconds. */
const LOCKED_MS = 10 * 60_000

let server: Server
let ada: Page

/** Ada has made the beam and has let Bob in: whoever comes without the link waits for her. */
beforeEach(async () => {
  server = new Server()
  const secrets = newSecrets()
  const { invite } = await secrets.make(BEAM)
  ada = new Page(server, ADA, invite, secrets)
  await ada.is('sealed')
  const bob = new Page(server, BOB, invite)
  server.lists(ADA, BOB)
  await bob.is('sealed')
  bob.channel.end()
})

afterEach(() => {
  vi.useRealTimers()
  for (const page of server.pages.values()) page.channel.end()
})

/** Eve opens a page without the link. */
function comes(): Page {
  const eve = new Page(server, EVE, null)
  server.lists(ADA, EVE)
  return eve
}

async function asks(): Promise<void> {
  await vi.waitFor(() => expect(ada.trust[EVE]).toMatchObject({ state: 'asking' }))
}

const saidTo = (device: string) =>
  server.ways.filter(({ to }) => to === device).map(({ message }) => message as { op: string; why?: string })

describe('e8 a joiner that a person lets in', () => {
  it('is verified once it was let in, and not before', async () => {
    const eve = comes()
    await asks()
    const letsIn = ada.secrets.letIn.bind(ada.secrets)
    const answered = new Gate()
    vi.spyOn(ada.secrets, 'letIn').mockImplementation(async (...all) => {
      await answered.wait()
      return letsIn(...all)
    })
    expect(ada.confirms(EVE)).toBe(true)
    // A second tap is the same answer.
    expect(ada.confirms(EVE)).toBe(true)
    expect(ada.trust[EVE]).toMatchObject({ state: 'asking', isIn: false })
    answered.open()
    await eve.is('sealed')
    expect(ada.trust[EVE]).toMatchObject({ state: 'verified', isIn: true })
  })

  it('is not let in by a tap that was meant for other pictures', async () => {
    comes()
    await asks()
    const signs = ada.trust[EVE]?.signs ?? []
    const letIn = vi.spyOn(ada.secrets, 'letIn')
    expect(
      ada.confirms(
        EVE,
        signs.map((sign) => 63 - sign),
      ),
    ).toBe(true)
    expect(letIn).not.toHaveBeenCalled()
    expect(ada.trust[EVE]).toMatchObject({ state: 'asking' })
    expect(ada.confirms(EVE, signs)).toBe(true)
    await vi.waitFor(() => expect(ada.trust[EVE]).toMatchObject({ state: 'verified' }))
  })

  it.each([
    ['shows other pictures by then', async () => null],
    ['is not known any more', () => Promise.reject(new Error('The worker was replaced.'))],
  ])('is not verified where it %s, and may begin again', async (_, letIn) => {
    const eve = comes()
    await asks()
    const fails = vi.spyOn(ada.secrets, 'letIn').mockImplementation(letIn)
    expect(ada.confirms(EVE)).toBe(true)
    await vi.waitFor(() => expect(ada.trust[EVE]).toBeNull())
    fails.mockRestore()
    expect(eve.states.at(-1)).toBe('locked')
    server.lists(ADA, EVE)
    await asks()
  })
})

describe('e8 a joiner', () => {
  it('is not locked out by sockets that it lost, and shows the same pictures over each', async () => {
    const eve = comes()
    await asks()
    const { signs } = ada.trust[EVE] ?? {}
    for (let times = 0; times < 5; times += 1) {
      server.lists(ADA)
      await vi.waitFor(() => expect(ada.trust[EVE]).toBeNull())
      eve.channel.welcomed(EVE)
      server.lists(ADA, EVE)
      await asks()
      expect([ada.trust[EVE]?.signs, eve.trust[ADA]?.signs]).toEqual([signs, signs])
    }
    expect(ada.confirms(EVE)).toBe(true)
    await eve.is('sealed')
  })

  it('begins anew with a device that has forgotten it, three times at most', async () => {
    const eve = comes()
    await asks()
    const { signs } = eve.trust[ADA] ?? {}
    for (let times = 0; times < 6; times += 1) {
      await ada.secrets.forgetJoiner(BEAM, EVE)
      eve.channel.welcomed(EVE)
      const before = saidTo(EVE).length
      server.lists(ADA, EVE)
      await vi.waitFor(() => expect(saidTo(EVE).length).toBeGreaterThan(before))
    }
    expect(eve.trust[ADA]?.signs).not.toEqual(signs)
    const accepted = saidTo(EVE).filter(({ op }) => op === 'accept')
    expect(accepted.length).toBeLessThan(5)
  })

  it.each(['locked', 'keyless'] as const)(
    'is shown who has let it in, to be compared, also where that one has said before that it is %s',
    async (why) => {
      const eve = comes()
      await asks()
      const { signs } = ada.trust[EVE] ?? {}
      const letIn = ada.secrets.letIn.bind(ada.secrets)
      let welcome: unknown
      vi.spyOn(ada.secrets, 'letIn').mockImplementation(async (...all) => {
        welcome = await letIn(...all)
        return new Promise(() => {})
      })
      ada.confirms(EVE)
      await vi.waitFor(() => expect(welcome).toBeTruthy())
      eve.channel.heard(ADA, { op: 'refused', why })
      eve.channel.heard(ADA, { op: 'welcome', ...(welcome as object) })
      await eve.is('sealed')
      expect(eve.trust[ADA]).toEqual({ signs, state: 'unverified', isIn: true })
    },
  )

  it('begins again after its device could not', async () => {
    const eve = new Page(server, EVE, null)
    const commit = vi.spyOn(eve.secrets, 'commit').mockRejectedValue(new Error('The worker was replaced.'))
    server.lists(ADA, EVE)
    // It is asked once more after it has entered the beam again.
    await vi.waitFor(() => expect(commit.mock.calls.length).toBeGreaterThan(1))
    await new Promise((resolve) => setTimeout(resolve))
    commit.mockRestore()
    server.lists(ADA, EVE)
    await asks()
  })

  it('that came while the door was locked begins again by itself once it is open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    for (let times = 0; times < 3; times += 1) {
      const stranger = comes()
      await vi.waitFor(() => expect(stranger.trust[ADA]).toBeDefined())
      stranger.channel.end()
    }
    const eve = comes()
    await vi.waitFor(() => expect(saidTo(EVE).at(-1)).toEqual({ op: 'refused', why: 'locked' }))
    await vi.waitFor(() => expect(eve.turnedAway.get(ADA)).toMatchObject({ why: 'locked' }))
    const told = eve.turnedAway.get(ADA)
    const before = saidTo(EVE).length
    // It has said when it asks again.
    vi.advanceTimersByTime(told?.why === 'locked' ? told.until - Date.now() : 0)
    expect(eve.turnedAway.get(ADA)).toBeNull()
    await vi.waitFor(() => expect(saidTo(EVE).at(-1)).toEqual({ op: 'wait' }))
    expect(saidTo(EVE).length).toBeGreaterThan(before)
  })

  it('that a person has refused asks again when its person has opened it again, and not by itself', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const eve = comes()
    await asks()
    ada.channel.ways.refuse(EVE)
    await vi.waitFor(() => expect(eve.trust[ADA]).toBeNull())
    const commit = vi.spyOn(eve.secrets, 'commit')
    vi.advanceTimersByTime(LOCKED_MS)
    server.lists(ADA, EVE)
    expect(commit).not.toHaveBeenCalled()
    expect(eve.turnedAway.get(ADA)).toEqual({ why: 'person' })
    eve.channel.end()
    comes()
    await asks()
  })

  it('that a person has refused is shown as not let in until it leaves, asks again, or comes by the link', async () => {
    const refused = { signs: [], state: 'refused', isIn: false }
    const isRefused = () => expect(ada.trust[EVE]).toEqual(refused)
    const isRefusedAgain = async () => {
      await asks()
      ada.channel.ways.refuse(EVE)
      isRefused()
    }
    const first = comes()
    await isRefusedAgain()
    first.channel.end()
    server.lists(ADA, EVE)
    isRefused()
    server.lists(ADA)
    expect(ada.trust[EVE]).toBeNull()
    const eve = comes()
    await isRefusedAgain()
    eve.channel.end()
    comes()
    await isRefusedAgain()
    new Page(server, EVE, ada.invite)
    server.lists(ADA, EVE)
    await vi.waitFor(() => expect(ada.trust[EVE]).toBeNull())
  })

  it.each([
    ['the device that has refused it leaves', (eve: Page) => eve.channel.listed([sealing(EVE)])],
    ['its socket is new', (eve: Page) => eve.channel.welcomed(EVE)],
    ['its person opens the link', (eve: Page) => eve.channel.invited(ada.invite ?? '')],
  ])('is not told any more that it was refused once %s', async (_, then) => {
    const eve = comes()
    await asks()
    ada.channel.ways.refuse(EVE)
    await vi.waitFor(() => expect(eve.turnedAway.get(ADA)).toEqual({ why: 'person' }))
    then(eve)
    await vi.waitFor(() => expect(eve.turnedAway.get(ADA)).toBeNull())
  })

  it('whose message was lost says it again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const eve = new Page(server, EVE, null)
    server.pages.delete(ADA)
    eve.channel.listed([ADA, EVE].map(sealing))
    eve.channel.synced([])
    await vi.waitFor(() => expect(saidTo(ADA).at(-1)).toMatchObject({ op: 'commit' }))
    server.pages.set(ADA, ada)
    server.lists(ADA, EVE)
    vi.advanceTimersByTime(LOCKED_MS)
    await asks()
  })
})
