import { t } from '@lingui/core/macro'
import Lock from 'lucide-react/icons/lock'
import { useStore } from 'zustand'
import { deviceName } from '../../stores/devices'
import type { Encryption } from '../../stores/encryption'
import type { TurnedAway } from '../../stores/trust'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { useHasItems } from '../session/beam'
import { SecureAddress } from '../session/secure-address'
import { formatUntil } from '../session/until'
import css from './not-let-in.module.css'
import { Pictures } from './pictures'
import { ShareClear } from './share-clear'

/** Whether the beam is sealed and this device cannot open it yet. */
export function useNotLetIn(): boolean {
  return useStore(useApp().stores.encryption, isOut)
}

/** Whether this page will not open the beam at all, so that there is nothing to share into. */
export function useShutOut(): boolean {
  return useStore(useApp().stores.encryption, isShutOut)
}

function isOut(encryption: Encryption): boolean {
  return encryption.kind === 'waiting' || encryption.kind === 'locked' || isShutOut(encryption)
}

function isShutOut(encryption: Encryption): boolean {
  return encryption.kind === 'insecure' && encryption.isShutOut
}

/** Shown in place of a beam's content until this device has been let in: why, and what a person can do. */
export function NotLetIn() {
  const { stores } = useApp()
  const encryption = useStore(stores.encryption)
  const devices = useStore(stores.devices)
  const trust = useStore(stores.trust, (state) => state.devices)
  const turnedAway = useTurnedAway()
  const others = devices.devices.filter(({ device_id }) => device_id !== devices.me)
  const compared = others.flatMap(({ device_id }) => {
    const known = trust[device_id]
    return known && known.signs.length > 0
      ? [{ device_id, signs: known.signs, name: deviceName(devices, device_id) }]
      : []
  })
  const isUnsure = encryption.kind === 'locked' && !encryption.isSuspected
  return (
    <section className={css.box} role="status">
      <span className={css.lock}>
        <Icon of={Lock} size={24} />
      </span>
      <h2>{isUnsure ? t`This beam may be encrypted` : t`This beam is encrypted`}</h2>
      <p>{words(encryption, compared.length > 0, turnedAway)}</p>
      {encryption.kind === 'insecure' && (
        <p>
          <SecureAddress />
        </p>
      )}
      {encryption.kind === 'locked' &&
        compared.map(({ device_id, signs, name }) => (
          <div key={device_id} className={css.compared}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <Pictures signs={signs} />
          </div>
        ))}
      <ShareClear />
    </section>
  )
}

/** Says in the list of devices what this one waits for, where items are shown in place of that. */
export function NotLetInNotice() {
  const encryption = useStore(useApp().stores.encryption)
  const turnedAway = useTurnedAway()
  const hasItems = useHasItems()
  if (encryption.kind !== 'locked' || !encryption.mayShareClear || !hasItems) return null
  return (
    <div className={css.notice}>
      <p>{words(encryption, false, turnedAway)}</p>
      <ShareClear />
    </div>
  )
}

/** What the devices that are here say of this one: the word of a person counts first. Null where none has turned it away. */
function useTurnedAway(): TurnedAway | null {
  const all = useStore(useApp().stores.trust, ({ turnedAway }) => turnedAway)
  const [first] = Object.values(all)
  return Object.values(all).find(({ why }) => why === 'person') ?? first ?? null
}

function words(encryption: Encryption, isCompared: boolean, turnedAway: TurnedAway | null): string {
  if (encryption.kind === 'insecure')
    return t`This page came without https, and cannot open it. Nothing was shared from here.`
  if (encryption.kind === 'waiting' && encryption.isLinkOld)
    return t`This link is not valid any more. Open the new one, which the other devices of the beam show.`
  if (encryption.kind === 'waiting') return t`It opens here as soon as another of its devices is online.`
  if (isCompared)
    return t`Compare these pictures with those in the list of devices on another device. A person there lets this one in if they are the same.`
  switch (turnedAway?.why) {
    case 'person':
      return t`A person on another device refused to let this one in. Open the beam with its QR code or link, or reload this page to ask again.`
    case 'locked': {
      const time = formatUntil(turnedAway.until, Date.now())
      return t`There were too many tries to get in. This device asks again at ${time}; the QR code or link opens the beam at once.`
    }
    case undefined:
      return t`Open it with its QR code or link, or while another of its devices is online.`
  }
}
