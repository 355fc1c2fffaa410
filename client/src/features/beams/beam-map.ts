/**
 * The small map on a beam's card: plates computed from the beam's id, which make it recognizable but show no content.
 */
import { hash } from '../item/appearance'

export interface Plate {
  readonly gradient: number
  /** Position in percent of the free width. */
  readonly left: number
  /** Position in percent of the free height. */
  readonly top: number
  /** In degrees. */
  readonly tilt: number
}

const SLOTS = 6
const SLOT_WIDTH = 18
const FIRST_LEFT = 3
const GRADIENTS = 5

/** Returns one to six plates. The same id gives the same map on every device. */
export function beamMap(id: string): readonly Plate[] {
  const plates = Array.from({ length: SLOTS }, (_, slot) => ({ slot, drawn: hash(`${slot} ${id}`) }))
  const shown = plates.filter(({ drawn }) => drawn % 5 < 3)
  return (shown.length > 0 ? shown : plates.slice(2, 3)).map(({ slot, drawn }) => ({
    gradient: (drawn >>> 3) % GRADIENTS,
    left: FIRST_LEFT + slot * SLOT_WIDTH + ((drawn >>> 6) % 4),
    top: 14 + ((drawn >>> 9) % 72),
    tilt: ((drawn >>> 16) % 7) - 3,
  }))
}
