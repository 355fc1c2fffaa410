import css from './file-name.module.css'

// Long enough for an extension and the last characters that tell IMG_2041 from IMG_2042.
const ENDING = 9

/** A file's name in one line. When it must be cut, its ending stays. */
export function FileName({ name }: { name: string }) {
  const cut = Math.max(0, name.length - ENDING)
  return (
    <span className={css.name} title={name}>
      <span className={css.stem}>{name.slice(0, cut)}</span>
      <span className={css.ending}>{name.slice(cut)}</span>
    </span>
  )
}
