import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import type { ReactNode } from 'react'
import { BEAM_PARAM } from '../../protocol/beam-link'
import type { Beam } from '../../protocol/bindings'
import { ButtonLink } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { beamName, createdText, shortId } from '../session/beam-text'
import css from './beam-card.module.css'
import { beamMap } from './beam-map'
import { KeptBadge } from './kept-badge'

/** A saved beam with its map, its name and a link to it. `line` names its shares; `children` are further actions. */
export function BeamCard({ beam, line, children }: { beam: Beam; line?: ReactNode; children: ReactNode }) {
  const { beams } = useApp().actions
  const name = beamName(beam.beam_name)
  return (
    <article className={css.card} aria-label={name}>
      <div className={css.sky} aria-hidden="true">
        {beamMap(beam.beam_id).map(({ left, top, tilt, gradient }) => (
          <b
            key={left}
            data-gradient={gradient}
            style={{
              left: `calc((100% - 42px) * ${left / 100})`,
              top: `calc((100% - 28px) * ${top / 100})`,
              rotate: `${tilt}deg`,
            }}
          />
        ))}
      </div>
      <div className={css.body}>
        <h2 dir="auto" title={name}>
          {name}
        </h2>
        <div className={css.facts}>
          <span>{createdText(beam.created_at)}</span>
          <span className={css.id}>
            {shortId(beam.beam_id)}
            <IconButton
              icon={Copy}
              label={t`Copy beam ID`}
              look="small"
              iconSize={14}
              onClick={() => void beams.copyId(beam.beam_id)}
            />
          </span>
        </div>
        <KeptBadge beam={beam.beam_id} />
        {line && <div className={css.line}>{line}</div>}
        <div className={css.acts}>
          {/* A full page load, so that the beam is entered in the same way as by any other link. */}
          <ButtonLink size="sm" href={`/?${BEAM_PARAM}=${beam.beam_id}`}>
            {t`Open Beam`}
          </ButtonLink>
          {children}
        </div>
      </div>
    </article>
  )
}
