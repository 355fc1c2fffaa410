import { useRef, useState } from 'react'

/**
 * The picture of a form. What is chosen is prepared before it is shown, which takes seconds on a slow phone; `ready` resolves once that is
 * done, so that a form that is sent meanwhile has it. One that cannot be prepared leaves the one of before.
 */
export function usePreparedPicture(prepare: (file: File) => Promise<File | null>) {
  const [picture, setPicture] = useState<File | null>(null)
  const last = useRef<Promise<File | null>>(Promise.resolve(null))
  /** Takes what was chosen last, however long each takes; `null` is no picture. */
  const choose = async (file: File | null) => {
    const before = last.current
    const prepared = file && prepare(file)
    last.current = (async () => (prepared ? ((await prepared) ?? (await before)) : null))()
    const chosen = last.current
    const shown = await chosen
    if (last.current === chosen) setPicture(shown)
  }
  return { picture, choose, ready: () => last.current }
}
