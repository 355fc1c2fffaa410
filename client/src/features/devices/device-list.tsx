import { plural, t } from '@lingui/core/macro'
import Pencil from 'lucide-react/icons/pencil'
import QrCode from 'lucide-react/icons/qr-code'
import Send from 'lucide-react/icons/send'
import X from 'lucide-react/icons/x'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Device, DeviceId } from '../../protocol/bindings'
import { mayRemoveDevices } from '../../stores/beam-access'
import { maySendTo } from '../../stores/clear-copies'
import { shownName } from '../../stores/device-name'
import { deviceName, personName, seals } from '../../stores/devices'
import { letsNobodyInUnasked, type Trust } from '../../stores/trust'
import { Avatar } from '../../ui/avatar'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog } from '../../ui/dialog'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { SwitchRow } from '../../ui/switch-row'
import { useApp } from '../actions'
import { NotifySwitch } from '../arrival/notify-switch'
import { KeptRow } from '../keep/kept-row'
import { useMayShare } from '../session/beam'
import { PATHS } from '../transfer/path-label'
import { ClearReason } from './clear-reason'
import { ClosedLink } from './closed-link'
import { Comparison } from './comparison'
import { DepositedReason } from './deposited-reason'
import { deviceIcon } from './device-icon'
import css from './device-list.module.css'
import { DeviceNameForm } from './device-name-form'
import { MissingNotice } from './missing-notice'
import { NotLetInNotice } from './not-let-in'
import { PassingOnSwitch } from './passing-on-switch'
import { PlainDevice } from './plain-device'
import { SavePlaceRow } from './save-place-row'
import { SendDialog } from './send-dialog'
import { useSecurity } from './use-security'

function useTitle(): string {
  const count = useStore(useApp().stores.devices, (state) => state.devices.length)
  return plural(count, { one: '# device in this beam', other: '# devices in this beam' })
}

/** The device list on desktops, below the pill. */
export function DevicePopover() {
  const title = useTitle()
  return (
    <section className={css.popover} aria-label={title}>
      <h2 className={css.title}>{title}</h2>
      <DeviceList />
    </section>
  )
}

/** The device list on phones, as a sheet. */
export function DeviceSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={useTitle()} onClose={onClose}>
      <div className={css.sheet}>
        <DeviceList />
      </div>
    </Dialog>
  )
}

function DeviceList() {
  const { stores, actions } = useApp()
  const devices = useStore(stores.devices, (state) => state.devices)
  const mayRemove = useStore(stores.access, mayRemoveDevices)
  // Only a saved beam's link can be renewed.
  const isSealed = useStore(stores.encryption, ({ kind }) => kind === 'sealed')
  const security = useSecurity()
  const trusted = useStore(stores.trust, (state) => state.devices)
  // They have the keys, so the pill counts them although they left.
  const gone = (Object.keys(trusted) as DeviceId[]).filter(
    (id) => trusted[id]?.state === 'unverified' && !devices.some(({ device_id }) => device_id === id),
  )
  const asksBefore = useStore(stores.trust, letsNobodyInUnasked)
  const isRequired = useStore(stores.trust, (state) => state.isRequired)
  const isSaved = useStore(stores.access, ({ kind }) => kind === 'saved')
  const [removing, setRemoving] = useState<DeviceId | null>(null)
  const [sendingTo, setSendingTo] = useState<Device | null>(null)
  const maySend = useMayShare()
  const name = deviceName(stores.devices.getState(), removing)
  return (
    <>
      <MissingNotice />
      <ClearReason />
      <DepositedReason />
      <ClosedLink />
      <NotLetInNotice />
      {security.is === 'sealed' && devices.every(seals) && (
        <p className={css.promise}>{t`Only devices that were let in can read what is shared here.`}</p>
      )}
      <ul>
        {devices.map((device) => (
          <DeviceRow
            key={device.device_id}
            device={device}
            onSend={maySend ? setSendingTo : null}
            onRemove={mayRemove ? ({ device_id }) => setRemoving(device_id) : null}
          />
        ))}
        {isSealed &&
          gone.map((id) => (
            <GoneDevice key={id} id={id} onRemove={mayRemove ? () => setRemoving(id) : null} />
          ))}
      </ul>
      <Button
        look="soft"
        icon={QrCode}
        className={css.add}
        onClick={() => stores.beamDialog.setState({ kind: 'code' }, true)}
      >
        {t`Add a device`}
      </Button>
      {sendingTo && <SendDialog to={sendingTo} onClose={() => setSendingTo(null)} />}
      <KeptRow />
      <SavePlaceRow />
      <NotifySwitch />
      <PassingOnSwitch />
      {isSealed && (
        <SwitchRow
          label={t`Ask before letting devices in`}
          hint={
            isRequired
              ? t`Whoever runs this server wants it so.`
              : t`Devices that open the QR code or the link come in without being asked about.`
          }
          isOn={asksBefore}
          disabled={isRequired}
          onTurn={actions.askBefore}
        />
      )}
      {removing && (
        <ConfirmDialog
          title={t`Remove device`}
          question={t`Are you sure you want to remove ${name} from this beam?`}
          warning={removalWarning(isSaved, isSealed)}
          action={t`Remove device`}
          onConfirm={() => actions.removeDevice(removing)}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}

function removalWarning(isSaved: boolean, isSealed: boolean): string {
  // Whoever may read a saved beam gets its keys from the server.
  if (isSaved)
    return t`It cannot come back under this name. To keep out everybody who has the link, renew it under Share in My Beams.`
  return isSealed
    ? t`It keeps what it has, but cannot read what is shared from now on. The link changes: whoever comes in later needs the new one.`
    : t`It cannot come back under this name. To keep out everybody who has the link, make a new beam.`
}

/** A device that was let in, has left, and was not compared yet. */
function GoneDevice({ id, onRemove }: { id: DeviceId; onRemove: (() => void) | null }) {
  const { devices, trust: trusts } = useApp().stores
  const trust = useStore(trusts, (state) => state.devices[id])
  const name = useStore(devices, (state) => deviceName(state, id))
  if (!trust) return null
  return (
    <li>
      <div className={css.device}>
        <span className={css.icon}>
          <Icon of={deviceIcon(name)} size={20} />
        </span>
        <div className={css.words}>
          <div className={css.name} dir="auto">
            <span>{name}</span>
          </div>
          <div className={css.facts}>
            <Meta mine={false} person={null} state={trustWords(trust)} />
          </div>
        </div>
      </div>
      <Comparison device={{ device_id: id }} trust={trust} onRemove={onRemove} />
    </li>
  )
}

/** Whose device it is. A long name of a person is cut off at its end. */
function Meta({ mine, person, state }: { mine: boolean; person: string | null; state: string | null }) {
  if (!mine && person === null && state === null) return null
  return (
    <span className={css.meta} dir={mine ? undefined : 'auto'}>
      {mine && t`This device`}
      {mine && person && ' · '}
      <bdi>{person}</bdi>
      {state && person && ' · '}
      {state}
    </span>
  )
}

function trustWords({ state }: Trust): string {
  switch (state) {
    case 'asking':
      return t`Wants to come in`
    case 'refused':
      return t`Not let in`
    case 'unverified':
      return t`Not verified`
    case 'verified':
      return t`Verified`
  }
}

/** Returns null for a device that came by the link: nothing needs to be said of it. */
function stateWords(isPlain: boolean, trust: Trust | null): string | null {
  if (isPlain) return t`Not encrypted`
  return trust && trustWords(trust)
}

/** The picture of the person who is logged in, else that of the device. */
function Picture({ of: device }: { of: Device }) {
  const person = personName(device)
  const picture = device.profile_picture ?? null
  if (person !== null && picture !== null) return <Avatar name={person} picture={picture} size={40} />
  return (
    <span className={css.icon}>
      <Icon of={deviceIcon(device.name)} size={20} />
    </span>
  )
}

interface DeviceRowProps {
  device: Device
  /** Null on a device that may not share. */
  onSend: ((device: Device) => void) | null
  /** Null on a device that may not remove others. */
  onRemove: ((device: Device) => void) | null
}

function DeviceRow({ device, onSend, onRemove }: DeviceRowProps) {
  const { devices, deviceList, trust: trusts, encryption, clearCopies } = useApp().stores
  const row = useRef<HTMLLIElement>(null)
  const isSought = useStore(deviceList, (state) => state.kind === 'open' && state.at === device.device_id)
  useEffect(() => {
    if (isSought) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isSought])
  const known = useStore(trusts)
  const trust = known.devices[device.device_id] ?? null
  // Only in a sealed beam there is something that it cannot read.
  const isPlain = useStore(encryption, ({ kind }) => kind === 'sealed') && !seals(device)
  const reading = { encryption: useStore(encryption), clearCopies: useStore(clearCopies), trust: known }
  const [renaming, setRenaming] = useState(false)
  const mine = useStore(devices, (state) => state.me === device.device_id)
  const path = useStore(devices, (state) => state.paths[device.device_id])
  const badge = path && PATHS[path]
  const name = useStore(devices, (state) => deviceName(state, device.device_id))
  const unnumbered = shownName(device.name)
  const person = personName(device)
  if (renaming) {
    return (
      <li className={css.device}>
        <DeviceNameForm name={device.name} onClose={() => setRenaming(false)} />
      </li>
    )
  }
  return (
    <li ref={row}>
      <div className={css.device}>
        <Picture of={device} />
        <div className={css.words}>
          <div className={css.name} dir="auto" title={name}>
            <span>{unnumbered}</span>
            {/* The number tells equal names apart, so it is never cut off. */}
            <span className={css.number}>{name.slice(unnumbered.length)}</span>
          </div>
          <div className={css.facts}>
            {badge && (
              <Badge tone={badge.tone} icon={badge.icon}>
                {badge.label}
              </Badge>
            )}
            <Meta mine={mine} person={person} state={stateWords(isPlain, trust)} />
          </div>
        </div>
        {mine && (
          <IconButton
            icon={Pencil}
            label={t`Rename this device`}
            look="small"
            iconSize={16}
            onClick={() => setRenaming(true)}
          />
        )}
        {onSend && !mine && maySendTo(device, reading) && (
          <IconButton
            icon={Send}
            label={t`Send to ${name}`}
            look="small"
            iconSize={16}
            onClick={() => onSend(device)}
          />
        )}
        {onRemove && !mine && (
          <IconButton
            icon={X}
            label={t`Remove device ${name}`}
            look="small"
            iconSize={16}
            onClick={() => onRemove(device)}
          />
        )}
      </div>
      {isPlain && !mine && <PlainDevice id={device.device_id} />}
      {trust && trust.state !== 'verified' && trust.state !== 'refused' && (
        <Comparison device={device} trust={trust} onRemove={onRemove && (() => onRemove(device))} />
      )}
    </li>
  )
}
