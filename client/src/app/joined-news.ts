/** Says that this device has joined a beam: once it is in, and not while it waits outside (E6, E8). */
import { t } from '@lingui/core/macro'
import type { Encryption } from '../stores/encryption'
import type { Stores } from '../stores/stores'
import type { Toaster } from './toaster'

type Watched = Pick<Stores, 'encryption' | 'session'>

/** Of each page one: whoever asks again while this device waits is told once. */
const waiting = new WeakMap<Watched['encryption'], () => void>()

/** Call it when a person has chosen to join the beam of the session. */
export function tellJoined({ encryption, session }: Watched, toaster: Toaster): void {
  waiting.get(encryption)?.()
  const current = () => {
    const state = session.getState()
    return state.status === 'set' ? state.session.beamId : null
  }
  const beam = current()
  const look = (now: Encryption) => {
    const hasLeft = current() !== beam
    if (!hasLeft && !isIn(now)) return
    end()
    if (!hasLeft) toaster.ok(t`Joined Beam successfully`)
  }
  const end = encryption.subscribe(look)
  waiting.set(encryption, end)
  look(encryption.getState())
}

/** Whether this device can read and share what the beam has. */
function isIn(encryption: Encryption): boolean {
  switch (encryption.kind) {
    case 'off':
    case 'clear':
    case 'sealed':
      return true
    case 'insecure':
      return !encryption.isShutOut
    case 'unknown':
    case 'waiting':
    case 'locked':
      return false
  }
}
