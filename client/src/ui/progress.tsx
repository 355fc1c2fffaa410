import { cx } from './cx'
import css from './progress.module.css'

/** A progress bar, from 0 to 1. */
export function Progress({
  value,
  label,
  look = 'page',
}: {
  value: number
  label: string
  look?: 'page' | 'note' | 'dim'
}) {
  return <progress className={cx(css.progress, css[look])} max={1} value={value} aria-label={label} />
}
