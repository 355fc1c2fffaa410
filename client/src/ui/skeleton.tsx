import { cx } from './cx'
import css from './skeleton.module.css'

/** A placeholder while content loads. It appears only after 150 ms. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return <div className={cx(css.skeleton, className)} aria-hidden="true" />
}
