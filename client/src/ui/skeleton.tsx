import { cx } from './cx'
import css from './skeleton.module.css'

/** The shape of what comes; it stays away when that takes less than 150 ms. */
export function Skeleton({ className }: { className?: string | undefined }) {
  return <div className={cx(css.skeleton, className)} aria-hidden="true" />
}
