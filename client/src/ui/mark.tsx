import { useId } from 'react'
import css from './mark.module.css'

/** The product's mark: a round mirror, and the straight flash of light that leaves it. */
export function Mark({ size = 28 }: { size?: number }) {
  const slit = useId()
  return (
    <svg className={css.mark} width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <mask id={slit}>
        <path fill="#fff" d="M0 0h32v32H0z" />
        <path transform="translate(12.5 19.5) rotate(-45)" d="M-4.2 0 27-8.3V8.3Z" />
      </mask>
      <circle className={css.mirror} cx="12.5" cy="19.5" r="12" mask={`url(#${slit})`} />
      <path
        className={css.beam}
        transform="translate(12.5 19.5) rotate(-45)"
        d="M.4 0 22.53-4.39A23 23 0 0 1 22.53 4.39Z"
      />
    </svg>
  )
}
