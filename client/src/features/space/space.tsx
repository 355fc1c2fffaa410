import { t } from '@lingui/core/macro'
import Plus from 'lucide-react/icons/plus'
import Share from 'lucide-react/icons/share'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { Mark } from '../../ui/mark'
import { QrCode } from '../../ui/qr-code'
import { AboutButton } from '../about/about-button'
import { useApp } from '../actions'
import { ItemList } from '../card/item-list'
import { NotLetIn, useNotLetIn, useShutOut } from '../devices/not-let-in'
import { AnyFileButtons, MediaButton } from '../files/file-buttons'
import { usePasteAnywhere } from '../files/paste-anywhere'
import { Incoming } from '../incoming/incoming'
import { JoinButton } from '../join/join-button'
import { Forgotten } from '../keep/forgotten'
import { KeepCard } from '../keep/keep-card'
import { ParcelNote } from '../parcel/parcel-note'
import {
  newBeamLabel,
  useBeamLink,
  useDeviceCount,
  useHasItems,
  useMayShare,
  useSession,
} from '../session/beam'
import { BeamGone, useGone } from '../session/beam-gone'
import { NobodyYet } from '../session/nobody-yet'
import { OfflineNote } from '../session/offline-note'
import { ReadOnly } from '../session/read-only'
import { SourceLink } from '../session/source-link'
import css from './space.module.css'
import { SpaceMenu } from './space-menu'

/** The sharing space: the content of the beam, or the ways to join one. */
export function Space() {
  const { actions } = useApp()
  const session = useSession() !== null
  const hasItems = useHasItems()
  const mayShare = useMayShare()
  const gone = useGone()
  const isShutOut = useShutOut()
  usePasteAnywhere(actions, 'space', session && mayShare)
  if (gone && !hasItems) {
    return (
      <main className={css.space}>
        <ParcelNote />
        <BeamGone why={gone} />
      </main>
    )
  }
  return (
    <main className={css.space}>
      <ParcelNote />
      {gone && (
        <>
          <BeamGone why={gone} />
          <ItemList />
        </>
      )}
      {!gone && <Content session={session} />}
      {session && !gone && !isShutOut && <SpaceMenu />}
      <Incoming />
    </main>
  )
}

function Content({ session }: { session: boolean }) {
  const hasItems = useHasItems()
  const isOut = useNotLetIn()
  if (hasItems) return <Filled />
  if (!session || !isOut) return <Empty session={session} />
  return (
    <div className={css.middle}>
      <NotLetIn />
    </div>
  )
}

function Filled() {
  return (
    <>
      <h1 className="visually-hidden">{t`Space`}</h1>
      <Code size="medium" />
      <Files />
      <KeepCard place="list" />
      <ItemList />
    </>
  )
}

function Empty({ session }: { session: boolean }) {
  const { actions } = useApp()
  return (
    <>
      <div className={css.middle}>
        {session ? <Code size="big" /> : <Mark size={72} />}
        <h1 className={css.heading}>{t`Share Clipboards / Links / Pictures / Videos`}</h1>
        <NobodyYet />
        <div className={css.more}>
          <AboutButton look="ghost" />
          <SourceLink look="ghost" />
        </div>
        {session && <Files />}
        {session && <Forgotten />}
      </div>
      {session ? (
        <div className={css.share} data-bar>
          <Button look="primary" size="lg" icon={Share} onClick={() => void actions.shareLink()}>
            {t`Share`}
          </Button>
        </div>
      ) : (
        <Ways />
      )}
    </>
  )
}

/** The QR code of the beam, while no other device is here. */
function Code({ size }: { size: 'big' | 'medium' }) {
  const link = useBeamLink()
  const alone = useDeviceCount() <= 1
  if (!link || !alone) return size === 'big' ? <Mark size={72} /> : null
  return (
    <div className={css.code}>
      <QrCode value={link} size={size} label={t`QR code of this beam`} />
    </div>
  )
}

function Files() {
  if (!useMayShare()) return <ReadOnly />
  return (
    <div className={css.files}>
      <MediaButton look="small" />
      <AnyFileButtons />
    </div>
  )
}

function Ways() {
  const { stores, actions } = useApp()
  const status = useStore(stores.session, (state) => state.status)
  return (
    <div className={css.ways}>
      <OfflineNote />
      {status === 'failed' && (
        <p className={css.failed} role="alert">
          {t`The beam could not be made. Are you online?`}
        </p>
      )}
      <Button
        look="primary"
        size="lg"
        icon={Plus}
        disabled={status === 'creating'}
        onClick={() => void actions.newBeam()}
      >
        {newBeamLabel(status)}
      </Button>
      <JoinButton look="plain" size="lg" />
    </div>
  )
}
