import { Mark } from '../../ui/mark'
import { SaveButton } from '../save/save-button'
import { Brand } from '../session/brand'
import { isShared, useStage } from './stage'
import css from './title-bar.module.css'

/**
 * Top left of the desktop home: the product's name while alone, then the page's title; and Save, once there are notes.
 */
export function TitleBar() {
  const stage = useStage()
  if (!isShared(stage)) {
    return (
      <div className={css.alone}>
        <Brand />
        <SaveButton />
      </div>
    )
  }
  return (
    <div className={css.title}>
      <Mark />
      <div className={css.words}>
        <h1>Start Sharing</h1>
        <p>Share Clipboards / Links / Pictures / Videos</p>
      </div>
      <SaveButton />
    </div>
  )
}
