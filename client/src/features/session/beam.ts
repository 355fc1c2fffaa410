/** The beam as the screens read it: its state, its link, and its devices. */
import { msg, t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { beamLink } from '../../protocol/beam-link'
import { mayShare } from '../../stores/beam-access'
import { type BeamSession, hasLink } from '../../stores/beam-session'
import { whyGone } from '../../stores/connection'
import { useApp } from '../actions'

/** The product in one line. */
export const TAGLINE = msg`Instant content sharing between devices. No accounts, no hassle.`

/** Used until the server has sent its own description. */
const PRODUCT = { name: 'Heliograph', version: '1.0.0', repository: undefined }

export function useProduct(): { name: string; version: string; repository: string | undefined } {
  return useStore(useApp().stores.site, (state) => state.site) ?? PRODUCT
}

export function useSession(): BeamSession | null {
  return useStore(useApp().stores.session, (state) => (state.status === 'set' ? state.session : null))
}

/** Returns the name of the saved beam; null for any other. */
export function useSavedName(): string | null {
  return useStore(useApp().stores.access, (state) => (state.kind === 'saved' ? state.saved.beam_name : null))
}

/** The label of the button that creates a beam, for each state. */
export function newBeamLabel(status: 'none' | 'creating' | 'failed' | 'set'): string {
  if (status === 'creating') return t`Making a beam…`
  return status === 'failed' ? t`Try again` : t`New Beam`
}

/** Returns the link by which another device joins; null while there is no beam, and while its secret is looked up. */
export function useBeamLink(): string | null {
  const { site, encryption } = useApp().stores
  const about = useStore(site, (state) => state.site)
  const session = useSession()
  const isKnown = useStore(encryption, (state) => session !== null && hasLink(session, state))
  return session && isKnown ? beamLink(session, about, window.location) : null
}

/** Returns the number of devices in the beam, this one included. */
export function useDeviceCount(): number {
  return useStore(useApp().stores.devices, (state) => state.devices.length)
}

export function useHasItems(): boolean {
  return useStore(useApp().stores.items, (state) => state.items.length > 0)
}

/** Whether the beam is closed because this device was removed: from an unsaved one, nobody else is kept out. */
export function useIsRemoved(): boolean {
  const { access, connection } = useApp().stores
  const isForbidden = useStore(connection, whyGone) === 'forbidden'
  return useStore(access, ({ kind }) => kind === 'unsaved') && isForbidden
}

/** Whether this device may share in the beam: its level allows it, and the beam is not closed for good. */
export function useMayShare(): boolean {
  const { access, connection } = useApp().stores
  const isGone = useStore(connection, whyGone) !== null
  return useStore(access, mayShare) && !isGone
}
