/** The fixtures of tests in which devices may meet over the embedded TURN server, or over a coturn. */
import { Coturn } from './coturn.ts'
import { Server } from './server.ts'
import { test as base } from './stage.ts'

const TURN = {
  HELIOGRAPH_TURN: 'embedded',
  HELIOGRAPH_TURN_LISTEN: '127.0.0.1:0',
  // Everything is on this machine here, whatever a page calls it.
  HELIOGRAPH_TURN_HOST: '127.0.0.1',
  HELIOGRAPH_TURN_ALLOW_PEERS: '127.0.0.0/8',
}

interface Paired {
  /** The product with a coturn beside it, in place of its own TURN server. */
  paired: Server
}

export const test = base.extend<Paired, { server: Server }>({
  server: [
    async ({ browserName: _ }, use) => {
      const server = await Server.start(TURN)
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  paired: async ({ browserName: _ }, use) => {
    const coturn = await Coturn.start()
    const server = await Server.start(coturn.settings)
    await use(server)
    await server.stop()
    await coturn.stop()
  },
})
