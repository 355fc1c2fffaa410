import { t } from '@lingui/core/macro'
import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import X from 'lucide-react/icons/x'
import { type RefObject, useEffect, useRef } from 'react'
import { cx } from './cx'
import { Icon } from './icon'
import css from './toast-list.module.css'

export interface ToastView {
  readonly id: number
  readonly tone: 'ok' | 'bad' | 'info'
  readonly text: string
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
  readonly lasts?: boolean | undefined
}

const ICONS = { ok: CircleCheck, bad: CircleAlert, info: Info }

/**
 * The list of toasts. A toast lasts as long as its CSS animation, which hover and focus pause: longer where it tells of
 * a failure or offers an action, because those take time to read and to decide.
 */
export function ToastList({
  toasts,
  place,
  onDismiss,
}: {
  toasts: readonly ToastView[]
  place: 'toolbar' | 'composer' | 'floating' | 'page'
  onDismiss: (id: number) => void
}) {
  const list = useRef<HTMLOListElement>(null)
  useAboveDialogs(list, toasts)
  return (
    <ol
      ref={list}
      popover="manual"
      className={cx(css.list, css[place])}
      aria-live="polite"
      aria-label={t`Notifications`}
    >
      {toasts.map((toast) => (
        <li
          key={toast.id}
          data-toast={toast.id}
          className={cx(css.toast, css[toast.tone], toast.action && css.asking, toast.lasts && css.lasting)}
          onAnimationEnd={(event) => {
            if (event.target === event.currentTarget && event.animationName === css.life) onDismiss(toast.id)
          }}
        >
          <Icon of={ICONS[toast.tone]} />
          <span className={css.text}>{toast.text}</span>
          <ToastButtons toast={toast} onDismiss={onDismiss} />
        </li>
      ))}
    </ol>
  )
}

/** Keeps new toasts above an open dialog, which is in the browser's top layer. */
function useAboveDialogs(list: RefObject<HTMLElement | null>, toasts: readonly ToastView[]) {
  const newest = toasts.at(-1)?.id
  useEffect(() => {
    const popover = list.current
    if (newest === undefined || !popover?.showPopover) return
    popover.hidePopover()
    popover.showPopover()
  }, [list, newest])
}

function ToastButtons({ toast, onDismiss }: { toast: ToastView; onDismiss: (id: number) => void }) {
  const { action } = toast
  const act = () => {
    // Before the toast goes, because what it offers ends with it.
    action?.run()
    onDismiss(toast.id)
  }
  return (
    <>
      {action && (
        <button type="button" className={css.action} onClick={act}>
          {action.label}
        </button>
      )}
      <button
        type="button"
        className={css.dismiss}
        aria-label={t`Dismiss`}
        onClick={() => onDismiss(toast.id)}
      >
        <Icon of={X} size={16} />
      </button>
    </>
  )
}
