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
  return (
    <OverPage>
      <Dialog title={t`This ${what} is gone`} place="upper" asks onClose={onClose}>
        <p className={css.question}>
          It was deleted or replaced while you were writing. You can share what you wrote as a new {what}.
        </p>
        <div className={css.choices}>
          <Button look="primary" autoFocus onClick={onShare}>
            Share as a new {what}
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
