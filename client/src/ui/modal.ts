import { type RefObject, useLayoutEffect } from 'react'

/** Opens a dialog over everything else, for as long as it is rendered. The focus goes back to where it came from. */
export function useModal(ref: RefObject<HTMLDialogElement | null>) {
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // Closing before the element goes gives the focus back.
    return () => dialog?.close()
  }, [ref])
}
