import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import type { Departure } from '../../stores/beam-dialog'
import type { Loss } from '../../stores/losses'
import { Button } from '../../ui/button'
import { Dialog, DialogFoot } from '../../ui/dialog'
import css from './leave-dialog.module.css'

const WORDS: Readonly<Record<Loss, MessageDescriptor>> = {
  transfer: msg`A transfer is running. It stops when you leave.`,
  file: msg`Only this page has a file that is offered here. Nobody can receive it after you leave.`,
  unsent: msg`Something you shared has not been sent yet.`,
  items: msg`No other device is here. What is in this beam is deleted a minute after you leave.`,
  unread: msg`No other device that is here can read what is in this beam. It is lost if they leave before you come back.`,
  addressed: msg`No other device is here. What is for one device only is deleted a minute after you leave.`,
}

const ACTIONS: Readonly<Record<Departure['do'], MessageDescriptor>> = {
  leave: msg`Leave Beam`,
  new: msg`Leave for a new beam`,
  join: msg`Leave and join`,
  scan: msg`Leave and scan`,
  enter: msg`Leave and open`,
  'log-out': msg`Leave and log out`,
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
          <li key={loss}>{i18n._(WORDS[loss])}</li>
        ))}
      </ul>
      <DialogFoot>
        <Button look="ghost" autoFocus onClick={onClose}>
          {t`Stay`}
        </Button>
        <Button look="danger" onClick={onLeave}>
          {i18n._(ACTIONS[departure.do])}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
