import { type Glyph, Icon } from '../../ui/icon'
import css from './ring.module.css'

const RADIUS = 52
const AROUND = 2 * Math.PI * RADIUS

/** The sender in the middle of a progress ring, from 0 to 1. */
export function Ring(props: { value: number; icon: Glyph; gradient: number; label: string }) {
  const { value, icon, gradient, label } = props
  return (
    <div
      className={css.ring}
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.floor(value * 100)}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <svg viewBox="0 0 112 112" aria-hidden="true">
        <circle className={css.track} cx="56" cy="56" r={RADIUS} />
        {value > 0 && (
          <circle
            className={css.done}
            cx="56"
            cy="56"
            r={RADIUS}
            strokeDasharray={`${value * AROUND} ${AROUND}`}
            transform="rotate(-90 56 56)"
          />
        )}
      </svg>
      <span className={css.device} data-gradient={gradient}>
        <Icon of={icon} size={30} />
      </span>
    </div>
  )
}
