import { t } from '@lingui/core/macro'
import type { ReactNode } from 'react'
import { Button } from './button'
import css from './confirm-dialog.module.css'
import { Dialog, DialogFoot } from './dialog'

interface ConfirmDialogProps {
  title: string
  question: string
  /** What confirming will cause. */
  warning?: string
  /** Shown below the warning, for example a choice that belongs to the action. */
  children?: ReactNode
  /** The label of the confirming button. */
  action: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation of an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, question, warning, children, action, onConfirm, onClose } = props
  const confirm = () => {
    onConfirm()
    onClose()
  }
  return (
    <Dialog title={title} place="upper" asks onClose={onClose}>
      <p className={css.question}>{question}</p>
      {warning && <p className={css.warning}>{warning}</p>}
      {children}
      <DialogFoot>
        <Button look="ghost" autoFocus onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button look="danger" onClick={confirm}>
          {action}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
