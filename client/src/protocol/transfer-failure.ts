/**
 * Why a transfer of a file failed. It comes from the engine's worker, which knows no language; the page has a sentence
 * for each.
 */
export type TransferFailure =
  /** The other device no longer has the file. */
  | { reason: 'gone' }
  /** The other device has no room for it. */
  | { reason: 'noRoomThere' }
  /** The device that has the file was removed from the beam. */
  | { reason: 'sourceRemoved' }
  /** This device offered the file and can no longer read it. */
  | { reason: 'changed' }
  /** What arrived is not what the other device says that it has, over and over. */
  | { reason: 'damaged' }
  /** This device may only read in the beam, so the server forwards nothing of it. */
  | { reason: 'readOnly' }
  /** The file is larger than the free space. */
  | { reason: 'noRoomHere' }
  /** The space ran out while the file was written. What is there of it waits until the person has made room. */
  | { reason: 'diskFull' }
  /** The file is larger than all that this browser may keep in memory. */
  | { reason: 'tooLarge'; mostBytes: number }
  /** The files in memory leave no room for this one. */
  | { reason: 'memoryFull'; mostBytes: number }
  | { reason: 'notWritten' }
  /** The whole file arrived, but the page cannot read it. */
  | { reason: 'notRead' }
  /** Any other error, with the browser's sentence. */
  | { reason: 'other'; message: string }
