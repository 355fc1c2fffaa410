import Check from 'lucide-react/icons/check'
import Minus from 'lucide-react/icons/minus'
import { Icon } from '../../ui/icon'
import css from './contents-dialog.module.css'

/** The look of a check mark. What it means is said by the element that it is in. */
export function CheckMark({ state }: { state: 'all' | 'some' | 'none' }) {
  return (
    <span className={css.mark} data-state={state} aria-hidden="true">
      {state !== 'none' && <Icon of={state === 'all' ? Check : Minus} size={14} />}
    </span>
  )
}
