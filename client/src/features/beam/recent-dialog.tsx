import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import X from 'lucide-react/icons/x'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { RecentBeam } from '../../stores/recent-beams'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { useSession } from '../session/beam'
import { isNamed, shortId } from '../session/beam-text'
import css from './recent-dialog.module.css'
import { useDepartures } from './use-departure'

const WHEN = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const

/** The other beams that this browser was in. */
export function RecentDialog({ onClose }: { onClose: () => void }) {
  const { stores, actions } = useApp()
  const { wish } = useDepartures()
  const here = useSession()?.beamId
  const all = useStore(stores.recentBeams, ({ beams }) => beams)
  const beams = all.filter(({ beamId }) => beamId !== here)
  const [asked, setAsked] = useState<RecentBeam | 'all' | null>(null)
  // Keys go with a beam, and nobody may have them besides this browser.
  const remove = (which: RecentBeam | 'all') => {
    const isSealed = which === 'all' ? beams.some((beam) => beam.isSealed) : which.isSealed
    if (isSealed) setAsked(which)
    else void actions.forgetRecent(which === 'all' ? which : which.beamId)
  }
  return (
    <Dialog title={t`Recent beams`} sub={t`Only this browser knows this list.`} cross onClose={onClose}>
      {beams.length === 0 && <p className={css.empty}>{t`No other beams yet.`}</p>}
      <ul className={css.list}>
        {beams.map((beam) => (
          <li key={beam.beamId} className={css.row}>
            <button
              type="button"
              className={css.open}
              onClick={() => wish({ do: 'enter', beam: beam.beamId })}
            >
              <bdi className={css.name}>{nameOf(beam)}</bdi>
              <span className={css.meta}>
                {isNamed(beam.beamName) && `${shortId(beam.beamId)} · `}
                {i18n.date(new Date(beam.at), WHEN)}
              </span>
            </button>
            <IconButton
              icon={X}
              label={removeLabel(nameOf(beam))}
              look="small"
              iconSize={16}
              onClick={() => remove(beam)}
            />
          </li>
        ))}
      </ul>
      {beams.length > 0 && (
        <DialogFoot>
          <Button look="ghost" onClick={() => remove('all')}>
            {t`Clear the list`}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {t`Close`}
          </Button>
        </DialogFoot>
      )}
      {asked && (
        <ConfirmDialog
          title={asked === 'all' ? t`Clear the list` : removeLabel(nameOf(asked))}
          question={
            asked === 'all'
              ? t`Remove these beams and their keys from this browser?`
              : t`Remove this beam and its keys from this browser?`
          }
          warning={t`An encrypted beam then opens here only with the help of another of its devices, or from an account that has its keys. If only this browser has its keys, nobody can read it any more.`}
          action={t`Remove`}
          onConfirm={() => void actions.forgetRecent(asked === 'all' ? asked : asked.beamId)}
          onClose={() => setAsked(null)}
        />
      )}
    </Dialog>
  )
}

function removeLabel(beam: string): string {
  return t`Remove ${beam} from the list`
}

/** The name of a saved beam, or the first characters of the id. */
function nameOf(beam: RecentBeam): string {
  return isNamed(beam.beamName) ? beam.beamName : shortId(beam.beamId)
}
