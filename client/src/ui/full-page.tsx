import { type ReactNode, type RefObject, useEffect, useId, useRef } from 'react'
import { useBackCloses } from './back-closes'
import css from './full-page.module.css'
import { useModal } from './modal'

interface FullPageProps {
  title: string
  /** Buttons at the right of the head. */
  buttons: ReactNode
  /** Esc, or the back button. Whoever renders this decides whether it closes. */
  onLeave: () => void
  children: ReactNode
}

/** A page over all others, modal for as long as it is rendered. */
export function FullPage({ title, buttons, onLeave, children }: FullPageProps) {
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
      onCancel={(event) => {
        // A picker of files or a dialog within tells the same; only this page's own leaving is meant.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        onLeave()
      }}
      onClose={(event) => {
        if (event.target !== event.currentTarget || ref.current?.open) return
        // Browsers close a dialog at the second Esc, whatever it says; it stays until it is told to go.
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

/** The page ends where a phone's keyboard begins. */
function useSeenHeight(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const seen = window.visualViewport
    const page = ref.current
    if (!seen || !page) return
    const follow = () => {
      // Zoomed in, the page stays as it is: the person looks at a part of it.
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

/** Files that are dropped here are for what the page holds, and not for those under it. */
function useOwnDrops(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const page = ref.current
    if (!page) return
    const keep = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return
      event.stopPropagation()
      // Beside what takes them, a browser would leave for the file.
      event.preventDefault()
    }
    const types = ['dragenter', 'dragleave', 'dragover', 'drop'] as const
    for (const type of types) page.addEventListener(type, keep)
    return () => {
      for (const type of types) page.removeEventListener(type, keep)
    }
  }, [ref])
}
