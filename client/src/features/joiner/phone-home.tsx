import { t } from '@lingui/core/macro'
import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import Plus from 'lucide-react/icons/plus'
import { useStore } from 'zustand'
import { shareableOrigin } from '../../protocol/beam-link'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { ItemList } from '../card/item-list'
import { NotLetIn, useNotLetIn, useShutOut } from '../devices/not-let-in'
import { AnyFileButtons, MediaButton } from '../files/file-buttons'
import { usePasteAnywhere } from '../files/paste-anywhere'
import { Incoming } from '../incoming/incoming'
import { JoinButton } from '../join/join-button'
import { Forgotten } from '../keep/forgotten'
import { KeepCard } from '../keep/keep-card'
import { ParcelNote, useDoesParcelWait } from '../parcel/parcel-note'
import { SaveButton } from '../save/save-button'
import { ScanButton } from '../scanner/scan-button'
import { newBeamLabel, useHasItems, useMayShare, useSession } from '../session/beam'
import { BeamGone, useGone } from '../session/beam-gone'
import { NobodyYet } from '../session/nobody-yet'
import { OfflineNote } from '../session/offline-note'
import { ReadOnly } from '../session/read-only'
import { Composer } from './composer'
import { LaptopPicture } from './laptop-picture'
import css from './phone-home.module.css'

/** The home of narrow screens, from which a phone joins a beam. */
export function PhoneHome() {
  return useSession() ? <Joined /> : <NotJoined />
}

function Joined() {
  const { actions } = useApp()
  const hasItems = useHasItems()
  const mayShare = useMayShare()
  const gone = useGone()
  const isShutOut = useShutOut()
  usePasteAnywhere(actions, 'home', mayShare)
  if (gone && !hasItems) {
    return (
      <main className={css.joined}>
        <ParcelNote />
        <BeamGone why={gone} />
      </main>
    )
  }
  return (
    <main className={css.joined}>
      <ParcelNote />
      {gone ? <BeamGone why={gone} /> : <Sharing />}
      <KeepCard place="list" />
      <Forgotten />
      {hasItems && (
        <section aria-labelledby="in-this-beam">
          <div className={css.listHead}>
            <h2 id="in-this-beam">{t`In this beam`}</h2>
            <SaveButton />
          </div>
          <ItemList />
        </section>
      )}
      {mayShare && !isShutOut && <Composer />}
      <Incoming />
    </main>
  )
}

/** The head of the screen, with what this device may do in the beam. */
function Sharing() {
  const mayShare = useMayShare()
  const isOut = useNotLetIn()
  const isShutOut = useShutOut()
  return (
    <>
      <h1>{t`Start Sharing`}</h1>
      <p className={css.subtitle}>{t`Share Clipboards / Links / Pictures / Videos`}</p>
      {isOut ? <NotLetIn /> : <NobodyYet />}
      {mayShare && !isShutOut && <Ways />}
      {!mayShare && (
        <div className={css.reader}>
          <ReadOnly />
        </div>
      )}
    </>
  )
}

/** The ways to share: the clipboard and files. */
function Ways() {
  const { actions } = useApp()
  return (
    <div className={css.ways}>
      <Button look="primary" className={css.tall} onClick={() => void actions.paste('home')}>
        <Icon of={ClipboardPaste} size={26} />
        {t`Paste`}
      </Button>
      <MediaButton look="tall" />
      <AnyFileButtons />
    </div>
  )
}

function NotJoined() {
  const { stores, actions } = useApp()
  const status = useStore(stores.session, (state) => state.status)
  const site = useStore(stores.site, (state) => state.site)
  // What waits takes the place of the picture, so that the actions below stay on the screen.
  const doesParcelWait = useDoesParcelWait()
  const { host } = new URL(shareableOrigin(site, window.location))
  return (
    <main className={css.alone}>
      {doesParcelWait ? <ParcelNote /> : <LaptopPicture />}
      <div className={css.words}>
        <h1>{t`Open ${host} on a PC or laptop to start beaming`}</h1>
        <p>{t`Then scan the code it shows.`}</p>
        {status === 'failed' && (
          <p className={css.failed} role="alert">
            {t`The beam could not be made. Are you online?`}
          </p>
        )}
      </div>
      <div className={css.actions}>
        <OfflineNote />
        <ScanButton look="primary" size="lg" />
        <div className={css.else}>
          <JoinButton look="ghost" size="lg" />
          <Button
            look="ghost"
            size="lg"
            icon={Plus}
            disabled={status === 'creating'}
            onClick={() => void actions.newBeam()}
          >
            {newBeamLabel(status)}
          </Button>
        </div>
      </div>
    </main>
  )
}
