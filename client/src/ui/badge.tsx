import css from './badge.module.css'
import { cx } from './cx'
import { type Glyph, Icon } from './icon'

export type BadgeTone = 'plain' | 'ok' | 'accent' | 'warn' | 'note'

export function Badge({
  tone = 'plain',
  icon,
  children,
}: {
  tone?: BadgeTone
  icon?: Glyph
  children: string
}) {
  return (
    <span className={cx(css.badge, css[tone])}>
      {icon && <Icon of={icon} size={12} />}
      {children}
    </span>
  )
}
