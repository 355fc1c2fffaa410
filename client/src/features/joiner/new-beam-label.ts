/** The words of the one button through making a beam tell how that goes. */
export function newBeamLabel(status: 'none' | 'creating' | 'failed' | 'set'): string {
  if (status === 'creating') return 'Making a beam…'
  return status === 'failed' ? 'Try again' : 'New Beam'
}
