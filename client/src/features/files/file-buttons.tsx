import { t } from '@lingui/core/macro'
import File from 'lucide-react/icons/file'
import Folder from 'lucide-react/icons/folder'
import ImagePlus from 'lucide-react/icons/image-plus'
import { useId } from 'react'
import { buttonClass } from '../../ui/button'
import { cx } from '../../ui/cx'
import { type Glyph, Icon } from '../../ui/icon'

import css from './file-buttons.module.css'
import { FileInput, PICKS_FOLDERS } from './file-input'

/** A label that looks like a button and contains its input, so that a tap opens the picker without any script. */
function FileLabel(props: {
  text: string
  /** What the text leaves open, below it. */
  hint?: string | undefined
  icon: Glyph
  mediaOnly?: boolean
  folder?: boolean
  look: 'tall' | 'small'
}) {
  const { text, hint, icon, look, mediaOnly = false, folder = false } = props
  const id = useId()
  return (
    <label
      htmlFor={id}
      className={cx(buttonClass({ look: look === 'small' ? 'quiet' : 'plain' }), css.label, css[look])}
    >
      <Icon of={icon} size={look === 'tall' ? 26 : 16} />
      {hint === undefined ? (
        text
      ) : (
        <span className={css.words}>
          {text} <span className={css.hint}>{hint}</span>
        </span>
      )}
      <FileInput id={id} mediaOnly={mediaOnly} folder={folder} />
    </label>
  )
}

/** The picker for pictures, videos and recordings. It is first, because on a phone it opens the gallery. */
export function MediaButton({ look }: { look: 'tall' | 'small' }) {
  // On /space there is room for the text of the specification alone.
  const hint = look === 'tall' ? t`Photos & videos` : undefined
  return <FileLabel text={t`Choose files`} hint={hint} icon={ImagePlus} mediaOnly look={look} />
}

/** The pickers for any file and for folders. */
export function AnyFileButtons() {
  return (
    <>
      <FileLabel text={t`Any file`} icon={File} look="small" />
      {PICKS_FOLDERS && <FileLabel text={t`Folder`} icon={Folder} folder look="small" />}
    </>
  )
}
