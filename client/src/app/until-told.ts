/** Asks a worker or the server again, where it fails for now. */

/** Before it is asked again, in milliseconds. The next pause is twice as long, up to a minute. */
export const PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

export function pause(milliseconds = PAUSE_MS): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

export function longerPause(milliseconds: number): number {
  return Math.min(milliseconds * 2, LONGEST_PAUSE_MS)
}

/** Asks again and again until there is an answer. Resolves to null when it is not wanted any more. */
export async function untilTold<Answer>(
  ask: () => Promise<Answer>,
  isWanted: () => boolean,
): Promise<Answer | null> {
  for (let wait = PAUSE_MS; isWanted(); wait = longerPause(wait)) {
    try {
      return await ask()
    } catch {
      await pause(wait)
    }
  }
  return null
}
