/** Says that files are being prepared, where that takes a while. */
import { plural } from '@lingui/core/macro'
import type { Toaster } from './toaster'

/** So many files are packed for a second or more: the browser asks the disk for each. */
const TAKES_A_WHILE = 2_000

export async function whilePreparing<T>(
  toaster: Pick<Toaster, 'lasting'>,
  files: number,
  prepare: () => Promise<T>,
): Promise<T> {
  const text = () => plural(files, { one: 'Preparing # file', other: 'Preparing # files' })
  const toast = files >= TAKES_A_WHILE ? toaster.lasting(text()) : null
  return prepare().finally(() => toast?.end())
}
