import { Button } from './button'
import css from './confirm-dialog.module.css'
import { Dialog, DialogFoot } from './dialog'

interface ConfirmDialogProps {
  title: string
  question: string
  /** What confirming will cause. */
  warning?: string
  /** The label of the confirming button. */
  action: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation of an action that cannot be undone. */
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
