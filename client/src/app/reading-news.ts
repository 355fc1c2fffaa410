/** Tells that a folder is being read, which takes a while where it has thousands of files. */
import { plural } from '@lingui/core/macro'
import type { Reading } from '../features/actions'
import type { LastingToast, Toaster } from './toaster'

/** What is read sooner is not told. */
const TAKES_A_WHILE_MS = 500
/** Screen readers read every change aloud. */
const TOLD_EVERY_MS = 2_000

export function createReadingNews(toaster: Pick<Toaster, 'lasting'>): () => Reading {
  return () => {
    let files = 0
    let toast: LastingToast | null = null
    const tell = () => {
      const text = plural(files, { one: 'Reading folder… # file', other: 'Reading folder… # files' })
      if (toast) toast.change(text)
      else toast = toaster.lasting(text)
      timer = setTimeout(tell, TOLD_EVERY_MS)
    }
    let timer = setTimeout(tell, TAKES_A_WHILE_MS)
    return {
      found() {
        files += 1
      },
      end() {
        clearTimeout(timer)
        toast?.end()
      },
    }
  }
}
