import { Mark } from '../../ui/mark'
import { SaveButton } from '../save/save-button'
import { useProduct } from '../session/beam'
import { useHomeHeading, useWaiting } from './stage'
import css from './title-bar.module.css'

/** Top left of the desktop home: the product, or what the page is about once the middle is taken. */
export function TitleBar() {
  const { name } = useProduct()
  const waiting = useWaiting()
  const heading = useHomeHeading()
  if (waiting) {
    return (
      <div className={css.brand}>
        <Mark />
        {name}
      </div>
    )
  }
  return (
    <div className={css.title}>
      <Mark />
      <div className={css.words}>
        <h1>{heading}</h1>
        <p>Share Clipboards / Links / Pictures / Videos</p>
      </div>
      <SaveButton />
    </div>
  )
}
