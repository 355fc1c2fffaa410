import css from './avatar.module.css'
import { cx } from './cx'

/** A person's picture, or the first letter of the name. The name is beside it, so it is hidden from screen readers. */
export function Avatar({
  name,
  picture,
  size,
}: {
  name: string
  picture: string | null
  size: 22 | 24 | 40 | 56 | 96
}) {
  const box = { width: size, height: size }
  if (picture) return <img className={css.avatar} style={box} src={picture} alt="" />
  return (
    <span className={cx(css.avatar, css.letter)} style={{ ...box, fontSize: size * 0.42 }} aria-hidden="true">
      {name.trim().slice(0, 1).toUpperCase()}
    </span>
  )
}
