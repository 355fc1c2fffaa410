import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import Link from 'lucide-react/icons/link'
import RectangleEllipsis from 'lucide-react/icons/rectangle-ellipsis'
import Share from 'lucide-react/icons/share'
import { useEffect, useState } from 'react'
import { shownCode } from '../../protocol/short-code'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { QrCode } from '../../ui/qr-code'
import { type CodeAnswer, useApp } from '../actions'
import { ClosedLink } from '../devices/closed-link'
import { useBeamLink, useSession } from '../session/beam'
import css from './code-dialog.module.css'

/** The large QR code of the beam, and everything else by which another device joins. */
export function CodeDialog({ onClose }: { onClose: () => void }) {
  const { actions } = useApp()
  const link = useBeamLink()
  const id = useSession()?.beamId
  if (!link || !id) return null
  return (
    <Dialog
      title={t`Add a device`}
      sub={t`Scan the code, open the link, or type the ID.`}
      cross
      onClose={onClose}
    >
      <div className={css.code}>
        <QrCode value={link} size="big" label={t`QR code of this beam`} />
      </div>
      <ClosedLink />
      <dl className={css.ways}>
        <Way name={t`Link`} text={link} />
        <Way name={t`Beam ID`} text={id} />
        <ShortCodeWay key={id} />
      </dl>
      <DialogFoot>
        <Button icon={Copy} onClick={() => void actions.copyBeamId()}>
          {t`Copy`}
        </Button>
        <Button icon={Link} onClick={() => void actions.copyLink()}>
          {t`Copy link`}
        </Button>
        {typeof navigator.share === 'function' && (
          <Button icon={Share} onClick={() => void actions.shareLink()}>
            {t`Share`}
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  )
}

function Way({ name, text }: { name: string; text: string }) {
  return (
    <div className={css.way}>
      <dt>{name}</dt>
      <dd title={text}>{text}</dd>
    </div>
  )
}

type CodeState =
  | { readonly status: 'none' }
  | { readonly status: 'asking' }
  /** `endsAt` is in milliseconds of `performance.now`. */
  | { readonly status: 'shown'; readonly code: string; readonly endsAt: number }
  | { readonly status: 'failed'; readonly why: string }

/** Six characters that stand for the id for a while, to be read out or typed. */
function ShortCodeWay() {
  const { actions } = useApp()
  const [state, setState] = useState<CodeState>({ status: 'none' })
  const left = useSecondsLeft(state.status === 'shown' ? state.endsAt : null)
  const ask = async () => {
    setState({ status: 'asking' })
    setState(stateOf(await actions.askForCode()))
  }
  const time = minutes(left)
  const isOver = state.status === 'shown' && left === 0
  return (
    <div className={css.way}>
      <dt>{t`Short code`}</dt>
      <dd className={css.short}>
        {state.status === 'shown' && !isOver ? (
          <>
            <strong>{state.code}</strong>
            <span className={css.left}>{t`ends in ${time}`}</span>
            <IconButton
              icon={Copy}
              label={t`Copy short code`}
              look="small"
              iconSize={14}
              onClick={() => void actions.copyShortCode(state.code)}
            />
          </>
        ) : (
          <>
            <Button
              size="sm"
              look="soft"
              icon={RectangleEllipsis}
              disabled={state.status === 'asking'}
              onClick={() => void ask()}
            >
              {isOver ? t`Show a new short code` : t`Show a short code`}
            </Button>
            {state.status === 'failed' && (
              <span className={css.failed} role="alert">
                {state.why}
              </span>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

function stateOf(answer: CodeAnswer): CodeState {
  if ('why' in answer) return { status: 'failed', why: answer.why }
  return { status: 'shown', code: shownCode(answer.code), endsAt: performance.now() + answer.expiresIn }
}

/** Counts the seconds down; 0 without an end. */
function useSecondsLeft(endsAt: number | null): number {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    if (endsAt === null) return
    setNow(performance.now())
    const timer = setInterval(() => setNow(performance.now()), 1000)
    return () => clearInterval(timer)
  }, [endsAt])
  return endsAt === null ? 0 : Math.max(0, Math.ceil((endsAt - now) / 1000))
}

function minutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
