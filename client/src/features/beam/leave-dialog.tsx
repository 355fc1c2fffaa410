import { t } from '@lingui/core/macro'
import type { Departure } from '../../stores/beam-dialog'
import type { Loss } from '../../stores/losses'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import css from './leave-dialog.module.css'

const WORDS: Readonly<Record<Loss, string>> = {
  transfer: 'A transfer is running. It stops when you leave.',
  file: 'Only this page has a file that is offered here. Nobody can receive it after you leave.',
  unsent: 'Something you shared has not been sent yet.',
  items: 'No other device is here. What is in this beam is deleted a minute after you leave.',
  addressed: 'No other device is here. What is for one device only is deleted a minute after you leave.',
}

const ACTIONS: Readonly<Record<Departure['do'], string>> = {
  leave: 'Leave Beam',
  new: 'Leave for a new beam',
  join: 'Leave and join',
  scan: 'Leave and scan',
  enter: 'Leave and open',
}

interface LeaveDialogProps {
  departure: Departure
  losses: readonly Loss[]
  onLeave: () => void
  onClose: () => void
}

/** Asks before a beam is left in which something would be lost. */
export function LeaveDialog({ departure, losses, onLeave, onClose }: LeaveDialogProps) {
  return (
    <Dialog title={t`Leave this beam?`} place="upper" asks onClose={onClose}>
      <ul className={css.losses}>
        {losses.map((loss) => (
          <li key={loss}>{WORDS[loss]}</li>
        ))}
      </ul>
      <DialogFoot>
        <Button look="ghost" autoFocus onClick={onClose}>
          {t`Stay`}
        </Button>
        <Button look="danger" onClick={onLeave}>
          {ACTIONS[departure.do]}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
