/** Stops in the middle of what is done with the browser's cryptography, for tests. */
import { vi } from 'vitest'

/**
 * Runs a change, and does something else before its nth step: its nth call of the browser's cryptography.
 * @returns whether it has so many
 */
export async function atStep(
  nth: number,
  change: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<boolean> {
  let step = 0
  let acted: Promise<unknown> | null = null
  const importKey = crypto.subtle.importKey.bind(crypto.subtle) as (
    ...all: unknown[]
  ) => ReturnType<SubtleCrypto['importKey']>
  const spy = vi.spyOn(crypto.subtle, 'importKey').mockImplementation((...all: unknown[]) => {
    step += 1
    if (step === nth) acted = act()
    return importKey(...all)
  })
  try {
    await change()
    await acted
  } finally {
    spy.mockRestore()
  }
  return acted !== null
}
