import { Button } from './button'
import css from './confirm-dialog.module.css'
import { Dialog, DialogFoot } from './dialog'

interface ConfirmDialogProps {
  title: string
  question: string
  /** What follows from a yes. */
  warning?: string
  /** The label of the button that says yes. */
  action: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks once more before something that cannot be undone. */
export function ConfirmDialog({ title, question, warning, action, onConfirm, onClose }: ConfirmDialogProps) {
  const confirm = () => {
    onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} place="upper" asks onClose={onClose}>
      <p className={css.question}>{question}</p>
      {warning && <p className={css.warning}>{warning}</p>}
      <DialogFoot>
        <Button look="ghost" autoFocus onClick={onClose}>
          Cancel
        </Button>
        <Button look="danger" onClick={confirm}>
          {action}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
