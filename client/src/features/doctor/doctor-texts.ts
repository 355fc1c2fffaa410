/** The words of the doctor's page: for each trial its name, and what to do when it fails. */
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import type { Outcome, Trial } from '../../protocol/findings'

interface Words {
  /** A name of the trade stays as it is in every language. */
  readonly name: MessageDescriptor | string
  readonly advice: MessageDescriptor
}

const TURN_ADVICE = msg`Let UDP and TCP to the TURN port through firewalls and routers; who runs the server finds more with “heliograph doctor”.`
const ALLOW_DATA = msg`Allow this site to keep data, and leave private browsing; until then received files stay in memory.`

export const WORDS: Readonly<Record<Trial, Words>> = {
  secure: {
    name: msg`Secure page`,
    advice: msg`Open the page by https: without it browsers give no camera, no clipboard and no disk space.`,
  },
  server: {
    name: msg`Server`,
    advice: msg`Tell who runs the server to run “heliograph doctor” there: its database or its disk needs care.`,
  },
  clock: {
    name: msg`Clock`,
    advice: msg`Set the clock of this device or of the server: they differ by more than a minute.`,
  },
  websocket: {
    name: 'WebSocket',
    advice: msg`Let proxies, firewalls and extensions between this device and the server pass websockets.`,
  },
  stun: { name: 'STUN', advice: TURN_ADVICE },
  turn_udp: { name: 'TURN · UDP', advice: TURN_ADVICE },
  turn_tcp: { name: 'TURN · TCP', advice: TURN_ADVICE },
  turn_tls: { name: 'TURN · TLS', advice: TURN_ADVICE },
  direct: {
    name: msg`Direct connection`,
    advice: msg`Allow WebRTC in this browser; until then everything goes through the server.`,
  },
  storage: { name: msg`Disk space`, advice: ALLOW_DATA },
  database: { name: 'IndexedDB', advice: ALLOW_DATA },
  worker: {
    name: 'Service worker',
    advice: msg`Allow this site to keep data, so that it can be installed and opens without a network.`,
  },
  camera: {
    name: msg`Camera`,
    advice: msg`Allow the camera for this site in the browser, to scan codes with it.`,
  },
  clipboard: {
    name: msg`Clipboard`,
    advice: msg`Allow the clipboard for this site in the browser, to paste by a button.`,
  },
  address: {
    name: msg`Address in the QR code`,
    advice: msg`Open the page by an address that other devices reach, or start the server with --public-url.`,
  },
}

/** What to do when the server does not answer. */
export const SERVER_AWAY = msg`The server does not answer: look whether this device has a network, or ask who runs the server whether it is running.`

/** What to do when the server offers no TURN. */
export const TURN_OFF = msg`The server offers no TURN: start it with --turn embedded, so that devices of different networks can meet.`

export const OUTCOMES: Readonly<Record<Outcome | 'running', MessageDescriptor>> = {
  ok: msg`Works`,
  warning: msg`Warning`,
  failed: msg`Does not work`,
  skipped: msg`Not checked`,
  running: msg`Checking…`,
}
