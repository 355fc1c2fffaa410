import { t } from '@lingui/core/macro'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { OverPage } from '../../ui/over-page'
import css from './conflict-dialog.module.css'

interface ConflictDialogProps {
  what: 'note' | 'text'
  onMine: () => void
  onTheirs: () => void
  onBoth: () => void
  onClose: () => void
}

/** Asks which of two versions stays, when another device has changed what is being saved. */
export function ConflictDialog({ what, onMine, onTheirs, onBoth, onClose }: ConflictDialogProps) {
  const then = (act: () => void) => () => {
    onClose()
    act()
  }
  const title = what === 'note' ? t`This note has changed` : t`This text has changed`
  return (
    <OverPage>
      <Dialog title={title} place="upper" asks onClose={onClose}>
        <p className={css.question}>
          {t`Another device changed it while you were writing. Keeping one version replaces the other everywhere.`}
        </p>
        <div className={css.choices}>
          <Button look="primary" autoFocus onClick={then(onBoth)}>
            {t`Keep both`}
          </Button>
          <Button onClick={then(onMine)}>{t`Keep mine`}</Button>
          <Button onClick={then(onTheirs)}>{t`Keep theirs`}</Button>
          <Button look="ghost" onClick={onClose}>
            {t`Go on writing`}
          </Button>
        </div>
      </Dialog>
    </OverPage>
  )
}
