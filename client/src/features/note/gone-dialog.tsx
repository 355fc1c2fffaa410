import { t } from '@lingui/core/macro'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { OverPage } from '../../ui/over-page'
import css from './conflict-dialog.module.css'

interface GoneDialogProps {
  what: 'note' | 'text'
  onShare: () => void
  onDiscard: () => void
  onClose: () => void
}

/** Asks what becomes of a changed version when the original is no longer in the beam. */
export function GoneDialog({ what, onShare, onDiscard, onClose }: GoneDialogProps) {
  const isNote = what === 'note'
  return (
    <OverPage>
      <Dialog
        title={isNote ? t`This note is gone` : t`This text is gone`}
        place="upper"
        asks
        onClose={onClose}
      >
        <p className={css.question}>
          {isNote
            ? t`It was deleted or replaced while you were writing. You can share what you wrote as a new note.`
            : t`It was deleted or replaced while you were writing. You can share what you wrote as a new text.`}
        </p>
        <div className={css.choices}>
          <Button look="primary" autoFocus onClick={onShare}>
            {isNote ? t`Share as a new note` : t`Share as a new text`}
          </Button>
          <Button onClick={onDiscard}>{t`Discard`}</Button>
          <Button look="ghost" onClick={onClose}>
            {t`Go on writing`}
          </Button>
        </div>
      </Dialog>
    </OverPage>
  )
}
