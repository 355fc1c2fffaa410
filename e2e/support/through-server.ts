/** Two devices between which everything goes through the server, over a wire that a test may slow down. */
import type { Device } from './device.ts'
import { cutDirectPaths } from './paths.ts'
import type { Server } from './server.ts'
import type { Wire } from './wire.ts'

/** The first device reaches the server over the wire; the second joins its beam without it. */
export async function meetThroughServer(ada: Device, bob: Device, server: Server, wire: Wire): Promise<void> {
  await ada.opens(wire.origin)
  await cutDirectPaths(ada.page)
  await bob.opens(`${server.origin}/${new URL(await ada.scansOwnQr()).search}`)
  await ada.seesDevices(2)
}
