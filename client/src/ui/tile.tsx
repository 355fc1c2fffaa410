import { cx } from './cx'
import { type Glyph, Icon } from './icon'
import css from './tile.module.css'

/** A small square with an item's icon, in its gradient, or pale on a note of that gradient. */
export function Tile({ icon, gradient }: { icon: Glyph; gradient?: number }) {
  return (
    <span className={cx(css.tile, gradient === undefined && css.pale)} data-gradient={gradient}>
      <Icon of={icon} size={20} />
    </span>
  )
}
