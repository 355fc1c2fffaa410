/** The server knows the names of devices and may lie about them; those that seal say theirs under the keys of the beam (E15). */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Device, DeviceId } from '../protocol/bindings'
import {
  ADA,
  ada,
  BEAM,
  type Page as BeamPage,
  BOB,
  begins,
  bobJoins,
  Page,
  sealing,
  server,
} from './sealed-beam-stage'

let bob: BeamPage

beforeEach(async () => {
  await begins()
  ada.name = "Ada's desk"
  bob = await bobJoins()
})

const called = (id: DeviceId, name: string): Device => ({ ...sealing(id), name })

/** The server lists both, under these names. */
function lists(page: BeamPage, [first, second] = ["Bob's phone", "Ada's desk"]): void {
  page.listed([called(ADA, first ?? ''), called(BOB, second ?? '')])
}

function renames(page: BeamPage, name: string): void {
  page.name = name
  page.channel.renamed()
}

const shows = (page: BeamPage, ...names: readonly string[]) =>
  vi.waitFor(() => expect(page.shown).toEqual(names), { timeout: 5_000 })

/** What Bob has told Ada of himself. */
const introductions = () =>
  server
    .of('e2e')
    .filter(
      ({ from, to, message }) => from === BOB && to === ADA && (message as { op: string }).op === 'device',
    )

describe('e15 the name of a device that seals', () => {
  it('is what it has said, on all devices and on itself, whatever the server says', async () => {
    renames(bob, "Bob's phone")
    for (const page of [ada, bob]) {
      lists(page)
      await shows(page, "Ada's desk", "Bob's phone")
    }
  })

  it('is another one as soon as it says so', async () => {
    lists(ada)
    renames(bob, "Bob's phone")
    await shows(ada, "Ada's desk", "Bob's phone")
    renames(bob, 'Kitchen')
    await shows(ada, "Ada's desk", 'Kitchen')
  })

  it('is told to a page that was loaded again, also where nobody has seen it gone', async () => {
    renames(bob, "Bob's phone")
    lists(ada)
    await shows(ada, "Ada's desk", "Bob's phone")
    const again = new Page(server, ADA, null, ada.secrets)
    await again.is('sealed')
    lists(again)
    await vi.waitFor(() => expect(again.shown[1]).toBe("Bob's phone"), { timeout: 5_000 })
  })

  it('is not that which it had before, when the server brings that back', async () => {
    lists(ada)
    renames(bob, 'Spare')
    await shows(ada, "Ada's desk", 'Spare')
    const old = introductions().at(-1)
    renames(bob, "Bob's phone")
    await shows(ada, "Ada's desk", "Bob's phone")
    const seen = new Set<string | undefined>()
    ada.stores.devices.subscribe(() => seen.add(ada.shown[1]))
    ada.channel.heard(BOB, old?.message)
    renames(bob, 'Kitchen')
    await shows(ada, "Ada's desk", 'Kitchen')
    expect([...seen]).toEqual(['Kitchen'])
  })

  it('is as long and as clean as one of the server', async () => {
    lists(ada)
    renames(bob, ` K\u202eit${'t'.repeat(100)}`)
    await shows(ada, "Ada's desk", `Kit${'t'.repeat(77)}`)
  })

  it.each([
    ['says none, as an older version', undefined],
    ['says one of which nothing can be seen', '\u00ad\u3164'],
  ])('is that of the server where it %s', async (_what, name) => {
    const { secrets } = bob
    vi.spyOn(secrets, 'introduce').mockImplementation((_beam, from, to) =>
      secrets.seal(BEAM, 'e2e', JSON.stringify({ from, to, key: 'AAAA', invite: '', name })),
    )
    lists(ada, ["Ada's desk", 'Of the server'])
    await vi.waitFor(() => expect(ada.stores.devices.getState().said[BOB]).toBeDefined(), { timeout: 5_000 })
    ada.stores.devices.setState({ said: {} })
    const before = server.told.length
    bob.channel.renamed()
    // Its key is news, so it is answered.
    const isAnswered = () =>
      server.told
        .slice(before)
        .some(({ from, message }) => from === ADA && (message as { isAnswer?: boolean }).isAnswer === true)
    await vi.waitFor(() => expect(isAnswered()).toBe(true), { timeout: 5_000 })
    lists(ada, ["Ada's desk", 'Of the server'])
    expect(ada.shown[1]).toBe('Of the server')
  })
})
