import { expect, it } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { createDetails } from './details'

const ADA = 'ada' as DeviceId
const stats = { kind: 'host', protocol: 'udp', roundTrip: 1, wire: null, payload: null } as const
const links = () => ({ statsTo: async () => [{ key: 'a', stats }] })

it('the way through the server is a link once something has gone over it', async () => {
  const quiet = createDetails({ relayedWith: () => null }, links)
  expect((await quiet.reportLinks(ADA)).links).toEqual([{ key: 'a', ...stats }])
  const payload = { sent: 3, received: 4 }
  const busy = createDetails({ relayedWith: () => payload }, links)
  expect((await busy.reportLinks(ADA)).links[1]).toMatchObject({ kind: 'server', payload })
})

it('without a beam there is no link', async () => {
  const { reportLinks } = createDetails({ relayedWith: () => null }, () => null)
  expect((await reportLinks(ADA)).links).toEqual([])
})
