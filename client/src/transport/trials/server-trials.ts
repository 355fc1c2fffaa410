/** Looks at the server as this page reaches it: its answers, its clock, and a websocket with what it tells devices. */
import type { IceServer } from '../../protocol/bindings'
import { parseServerMessage } from '../../protocol/envelope'
import { clockOutcome, type Finding, UNREACHABLE } from '../../protocol/findings'
import { createBeam, HttpError, readDiagnosis } from '../http'
import { openSignalSocket } from '../signal-socket'

/** Time for a device to be let in. */
const WELCOME_MS = 10_000
/** By which a proxy says that nobody is behind it. The server itself says 503 with a sentence. */
const PROXY_STATUSES = [502, 504]

/** Asks the server how it is. */
export async function tryServer(): Promise<Finding[]> {
  const asked = Date.now()
  try {
    const { now, database, room } = await readDiagnosis()
    const clock = clockOutcome(now, asked, Date.now())
    const what = [database ? [] : ['database'], room ? [] : ['disk']].flat().join(', ')
    return [
      { trial: 'server', outcome: what === '' ? 'ok' : 'failed', detail: what },
      { trial: 'clock', outcome: clock },
    ]
  } catch (error) {
    return [
      { trial: 'server', outcome: 'failed', detail: isUnreachable(error) ? UNREACHABLE : undefined },
      { trial: 'clock', outcome: 'skipped' },
    ]
  }
}

/** Joins a fresh beam. Returns the servers that devices are told; null when it was not let in. */
export async function tryWebsocket(): Promise<{ finding: Finding; iceServers: readonly IceServer[] | null }> {
  try {
    const { beam_id } = await createBeam()
    const iceServers = await welcome(beam_id)
    return { finding: { trial: 'websocket', outcome: 'ok' }, iceServers }
  } catch (error) {
    // Without a beam nothing is known of websockets: the server is away, or takes no more beams from here for a while.
    if (error instanceof HttpError)
      return { finding: { trial: 'websocket', outcome: 'skipped' }, iceServers: null }
    const detail = error instanceof SocketClosed ? String(error.code) : undefined
    return { finding: { trial: 'websocket', outcome: 'failed', detail }, iceServers: null }
  }
}

/** Whether a call got no answer of the server's, but at most one of a proxy that does not reach it either. */
function isUnreachable(error: unknown): boolean {
  return error instanceof HttpError && (error.status === null || PROXY_STATUSES.includes(error.status))
}

/** The socket was closed before the welcome. */
class SocketClosed extends Error {
  constructor(readonly code: number) {
    super('The socket was closed.')
  }
}

function welcome(beam: Parameters<typeof openSignalSocket>[0]): Promise<readonly IceServer[]> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => end(new SocketClosed(0)), WELCOME_MS)
    const end = (why: Error) => {
      clearTimeout(late)
      socket.close()
      reject(why)
    }
    const socket = openSignalSocket(beam, {
      onOpen: () => {
        const extra = { v: 1, caps: ['files'], name: 'doctor' }
        socket.send(JSON.stringify({ type: 'auth', message: null, extra }))
      },
      onText: (text) => {
        const said = parseServerMessage(text)
        if (said?.type !== 'welcome') return
        clearTimeout(late)
        socket.close()
        resolve(said.message.ice_servers)
      },
      onBinary: () => {},
      onClose: (code) => end(new SocketClosed(code)),
    })
  })
}
