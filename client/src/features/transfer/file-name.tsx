import { startOf } from '../../protocol/names'
import css from './file-name.module.css'

// Fits an extension and the last characters, which tell IMG_2041 from IMG_2042.
const ENDING = 9

/** A file's name in one line. When it is too long its ending stays visible; screen readers get the whole name. */
export function FileName({ name }: { name: string }) {
  const cut = startOf(name, name.length - ENDING).length
  return (
    <bdi className={css.name} title={name}>
      <span className="visually-hidden">{name}</span>
      <span className={css.stem} aria-hidden="true">
        {name.slice(0, cut)}
      </span>
      <span className={css.ending} aria-hidden="true">
        {name.slice(cut)}
      </span>
    </bdi>
  )
}
