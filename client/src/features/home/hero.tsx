import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import Link from 'lucide-react/icons/link'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useDeferredValue } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { QrCode } from '../../ui/qr-code'
import { Skeleton } from '../../ui/skeleton'
import { AboutButton } from '../about/about-button'
import { useApp } from '../actions'
import { ClosedLink } from '../devices/closed-link'
import { JoinButton } from '../join/join-button'
import { Forgotten } from '../keep/forgotten'
import { useBeamLink, useSavedName } from '../session/beam'
import { NobodyYet } from '../session/nobody-yet'
import { OfflineNote } from '../session/offline-note'
import { SourceLink } from '../session/source-link'
import { CertificateHint } from './certificate-hint'
import css from './hero.module.css'

const SCAN = msg`Scan the QR Code with your mobile phone to start sharing.`
const SUBTITLE = msg`Share Clipboards / Links / Pictures / Videos`

/** The hero while no other device is here: the QR code and what it is for. */
export function Hero() {
  const link = useBeamLink()
  // The title bar has the name of a saved beam as the page's heading.
  const isSaved = useSavedName() !== null
  return (
    <Column
      picture={
        link ? (
          <QrCode value={link} size="big" label={t`QR code of this beam`} />
        ) : (
          <Skeleton className={css.skeleton} />
        )
      }
      heading={isSaved ? '' : i18n._(SCAN)}
    >
      <BeamButtons />
      <Forgotten />
      <CertificateHint />
      <ClosedLink />
    </Column>
  )
}

/** The buttons below the code: about, source, id, link, and joining another beam. */
export function BeamButtons() {
  const { actions } = useApp()
  return (
    <>
      <AboutButton />
      <SourceLink />
      <Button icon={Copy} onClick={() => void actions.copyBeamId()}>
        {t`Copy`}
      </Button>
      <IconButton icon={Link} label={t`Copy link`} look="plain" onClick={() => void actions.copyLink()} />
      <JoinButton look="ghost" size="md" />
    </>
  )
}

/** The hero with notes while no other device is here: the code keeps its size, beside the notes. */
export function HeroBesideNotes() {
  // Drawing the code takes as long as the rest of the page, so the items are shown first.
  const link = useDeferredValue(useBeamLink(), null)
  const isSaved = useSavedName() !== null
  return (
    <section className={css.beside}>
      <div className={css.picture}>
        {link ? (
          <QrCode value={link} size="big" label={t`QR code of this beam`} />
        ) : (
          <Skeleton className={css.skeleton} />
        )}
      </div>
      <div className={css.glass}>
        {!isSaved && <h1 className={css.heading}>{i18n._(SCAN)}</h1>}
        <p className={css.subtitle}>{i18n._(SUBTITLE)}</p>
      </div>
    </section>
  )
}

/** The hero while there is no beam yet, or none could be created. */
export function NoBeam() {
  const { stores, actions } = useApp()
  const status = useStore(stores.session, (state) => state.status)
  if (status === 'creating') {
    return <Column picture={<Skeleton className={css.skeleton} />} heading={i18n._(SCAN)} />
  }
  const failed = status === 'failed'
  return (
    <Column
      calm
      heading={failed ? t`The beam could not be made` : i18n._(SUBTITLE)}
      subtitle={failed ? t`The server did not answer as it should. Is it running, and are you online?` : ''}
    >
      <OfflineNote />
      <Button look="primary" icon={failed ? undefined : Plus} onClick={() => void actions.newBeam()}>
        {failed ? t`Try again` : t`New Beam`}
      </Button>
      <JoinButton look="plain" size="md" />
    </Column>
  )
}

interface ColumnProps {
  picture?: ReactNode
  heading: string
  subtitle?: string
  /** Fades in late, because another stage usually replaces it at once. */
  calm?: boolean
  children?: ReactNode
}

function Column({ picture, heading, subtitle = i18n._(SUBTITLE), calm = false, children }: ColumnProps) {
  return (
    <section className={calm ? css.calm : css.column}>
      {picture && <div className={css.picture}>{picture}</div>}
      {heading && <h1 className={css.heading}>{heading}</h1>}
      {subtitle && <p className={css.subtitle}>{subtitle}</p>}
      <NobodyYet />
      <div className={css.buttons}>{children}</div>
    </section>
  )
}
