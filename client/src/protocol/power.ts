/** What a device has to spend on transfers, and what follows from it. */

/** Null where it does not say. */
export interface Power {
  /** Whether the person wants to save data. */
  readonly savesData: boolean
  readonly isCharging: boolean | null
  /** Whether it is worked with a finger, as phones and tablets are. */
  readonly isTouched: boolean
}

/** Whether it may pass on what it receives (F21). A phone that says nothing of its battery runs on it. */
export function canPassOn({ savesData, isCharging, isTouched }: Power): boolean {
  return !savesData && (isCharging ?? !isTouched)
}
