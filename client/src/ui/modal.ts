import { type RefObject, useLayoutEffect } from 'react'

/** Shows a dialog modally for as long as it is rendered. The focus then returns to where it was. */
export function useModal(ref: RefObject<HTMLDialogElement | null>) {
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // Closing before the element is removed returns the focus.
    return () => dialog?.close()
  }, [ref])
}
