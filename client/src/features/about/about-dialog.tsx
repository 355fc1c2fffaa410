import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import Hand from 'lucide-react/icons/hand'
import KeyRound from 'lucide-react/icons/key-round'
import ShieldCheck from 'lucide-react/icons/shield-check'
import Zap from 'lucide-react/icons/zap'
import { Link } from 'react-router'
import { useStore } from 'zustand'
import { Button, buttonClass } from '../../ui/button'
import { cx } from '../../ui/cx'
import { Dialog, DialogFoot } from '../../ui/dialog'
import type { Glyph } from '../../ui/icon'
import { SourceGlyph } from '../../ui/icon'
import { Mark } from '../../ui/mark'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { useSecurity } from '../devices/use-security'
import { paths } from '../paths'
import { TAGLINE, useProduct } from '../session/beam'
import css from './about-dialog.module.css'

interface Feature {
  readonly icon: Glyph
  readonly title: MessageDescriptor
  readonly text: MessageDescriptor
}

const PRIVACY_TITLE = msg`Privacy first`
/** What a page promises where the server may read what is shared. */
const PRIVACY = msg`Nobody tracks you. Files go straight between devices where the network lets them. A beam that nobody saves is deleted after 24 hours, or when the time is over for which somebody asked to keep it.`

/** The features of the product. Each text is a promise that the server and this page keep. */
const FEATURES: readonly Feature[] = [
  { icon: Zap, title: msg`Instant sharing`, text: msg`Scan the code, and what you paste here is there.` },
  {
    icon: KeyRound,
    title: msg`No login required`,
    text: msg`Making a beam and joining it by its code needs no account.`,
  },
  {
    icon: Hand,
    title: msg`Drag and drop sticky notes`,
    text: msg`Put everything where you will find it again.`,
  },
  {
    icon: ShieldCheck,
    title: PRIVACY_TITLE,
    text: msg`End-to-end secure: locked on your device before it leaves, opened only on the others. Nobody tracks you. Files go straight between devices where the network lets them. A beam that nobody saves is deleted after 24 hours, or when the time is over for which somebody asked to keep it. Where something is not encrypted, the page says so.`,
  },
  {
    icon: SourceGlyph,
    title: msg`Open source, free forever`,
    text: msg`Read it, change it, run it on your own machine with one command.`,
  },
]

/** The About dialog: five cards about the product. */
export function AboutDialog({ onClose }: { onClose: () => void }) {
  const { name } = useProduct()
  const isSealed = useIsSealed()
  return (
    <Dialog
      title={t`About ${name}`}
      sub={i18n._(TAGLINE)}
      picture={<Mark size={40} />}
      width="large"
      cross
      onClose={onClose}
    >
      <ul className={css.features}>
        {FEATURES.map(({ icon, title, text }, index) => (
          <li key={title.id} className={css.feature}>
            <Tile icon={icon} gradient={index} />
            <div>
              <h3>{i18n._(title)}</h3>
              <p>{i18n._(title === PRIVACY_TITLE && !isSealed ? PRIVACY : text)}</p>
            </div>
          </li>
        ))}
      </ul>
      <Fingerprint />
      <DialogFoot>
        <Link className={cx(buttonClass({ look: 'plain' }), css.done)} to={paths.doctor}>
          {t`Connection check`}
        </Link>
        <Button look="primary" className={css.done} onClick={onClose}>
          {t`Got it!`}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

/** Whether what is shared is opened on devices alone, also where one of these is still to be compared. */
function useIsSealed(): boolean {
  const { is } = useSecurity()
  const hasOwnKeys = useStore(
    useApp().stores.encryption,
    (state) => state.kind === 'sealed' && !state.isDeposited,
  )
  return hasOwnKeys && (is === 'sealed' || is === 'unverified')
}

/**
 * The fingerprint of the app that runs. The build writes it into the page, so it is what the page claims of itself: it tells
 * versions apart, and a page that somebody has changed can name any.
 */
function Fingerprint() {
  const fingerprint = document.querySelector<HTMLMetaElement>('meta[name="fingerprint"]')?.content
  // Vite's server for development serves no build.
  if (!fingerprint) return null
  return (
    <dl className={css.fingerprint}>
      <dt>{t`Fingerprint (SHA-256)`}</dt>
      <dd>
        <code dir="ltr">{fingerprint}</code>
      </dd>
      <dd>{t`This is what the page says about itself. SECURITY.md, beside the source code, tells how to check it.`}</dd>
    </dl>
  )
}
