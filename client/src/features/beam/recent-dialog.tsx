import X from 'lucide-react/icons/x'
import { useStore } from 'zustand'
import type { RecentBeam } from '../../stores/recent-beams'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { useSession } from '../session/beam'
import { shortId, UNTITLED_BEAM } from '../session/beam-text'
import css from './recent-dialog.module.css'
import { useDepartures } from './use-departure'

const WHEN = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** The other beams that this browser was in. */
export function RecentDialog({ onClose }: { onClose: () => void }) {
  const { stores, actions } = useApp()
  const { wish } = useDepartures()
  const here = useSession()?.beamId
  const all = useStore(stores.recentBeams, ({ beams }) => beams)
  const beams = all.filter(({ beamId }) => beamId !== here)
  return (
    <Dialog title="Recent beams" sub="Only this browser knows this list." cross onClose={onClose}>
      {beams.length === 0 && <p className={css.empty}>No other beams yet.</p>}
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
                {isNamed(beam) && `${shortId(beam.beamId)} · `}
                {WHEN.format(beam.at)}
              </span>
            </button>
            <IconButton
              icon={X}
              label={`Remove ${nameOf(beam)} from the list`}
              look="small"
              iconSize={16}
              onClick={() => actions.forgetRecent(beam.beamId)}
            />
          </li>
        ))}
      </ul>
      {beams.length > 0 && (
        <DialogFoot>
          <Button look="ghost" onClick={() => actions.forgetRecent('all')}>
            Clear the list
          </Button>
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        </DialogFoot>
      )}
    </Dialog>
  )
}

/** The name of a saved beam, or the first characters of the id. */
function nameOf(beam: RecentBeam): string {
  return isNamed(beam) ? beam.beamName : shortId(beam.beamId)
}

/** A beam joined by a link is called untitled, which tells nothing apart. */
function isNamed({ beamName }: RecentBeam): boolean {
  return beamName !== '' && beamName !== UNTITLED_BEAM
}
