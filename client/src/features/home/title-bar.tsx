import { Mark } from '../../ui/mark'
import { SaveButton } from '../save/save-button'
import { Brand } from '../session/brand'
import { isTaken, useHomeHeading, useStage } from './stage'
import css from './title-bar.module.css'

/** Top left of the desktop home: the product, or what the page is about once the middle is taken. */
export function TitleBar() {
  const stage = useStage()
  const heading = useHomeHeading()
  if (!isTaken(stage)) return <Brand />
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
