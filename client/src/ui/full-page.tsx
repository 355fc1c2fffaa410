import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { useBackCloses } from './back-closes'
import css from './full-page.module.css'
import { useModal } from './modal'

interface FullPageProps {
  title: string
  /** Buttons at the right of the title bar. */
  buttons: ReactNode
  /** Called on Esc and by the back button. The caller decides whether the page closes. */
  onLeave: () => void
  /** Told of every key first, also of those for the buttons. */
  onKey?: (event: KeyboardEvent) => void
  children: ReactNode
}

/** A modal full-screen page, open for as long as it is rendered. */
export function FullPage({ title, buttons, onLeave, onKey, children }: FullPageProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useModal(ref)
  useBackCloses(true, onLeave)
  useSeenHeight(ref)
  useOwnDrops(ref)
  return (
    <dialog
      ref={ref}
      className={css.page}
      aria-labelledby={heading}
      onKeyDownCapture={onKey}
      onCancel={(event) => {
        // File pickers and dialogs inside raise the same event.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onLeave()
      }}
      onClose={(event) => {
        if (event.target !== event.currentTarget || ref.current?.open) return
        // Browsers close a dialog at the second Esc even if the event was cancelled, so it is opened again.
        ref.current?.showModal()
        onLeave()
      }}
    >
      <header className={css.head}>
        <h1 id={heading}>{title}</h1>
        {buttons}
      </header>
      {children}
    </dialog>
  )
}

/** Ends the page where a phone's keyboard begins. */
function useSeenHeight(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const seen = window.visualViewport
    const page = ref.current
    if (!seen || !page) return
    const follow = () => {
      // While the person has zoomed in, the page keeps its height.
      page.style.height = seen.scale > 1.01 ? '' : `${seen.height}px`
      page.style.top = `${seen.scale > 1.01 ? 0 : seen.offsetTop}px`
    }
    follow()
    seen.addEventListener('resize', follow)
    seen.addEventListener('scroll', follow)
    return () => {
      seen.removeEventListener('resize', follow)
      seen.removeEventListener('scroll', follow)
    }
  }, [ref])
}

/** Keeps files that are dropped on this page from the pages below it. */
function useOwnDrops(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const page = ref.current
    if (!page) return
    const keep = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.stopPropagation()
      // Without this the browser would navigate to the dropped file.
      event.preventDefault()
    }
    const types = ['dragenter', 'dragleave', 'dragover', 'drop'] as const
    for (const type of types) page.addEventListener(type, keep)
    return () => {
      for (const type of types) page.removeEventListener(type, keep)
    }
  }, [ref])
}
