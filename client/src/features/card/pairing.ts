/** Pairs the pictures of a list, so that two stand in one row. */

/**
 * Returns which cards take half of a row: of pictures that follow each other, each pair. The last of an odd number
 * takes a whole row, so that a row is never half empty.
 */
export function halves(arePictures: readonly boolean[]): readonly boolean[] {
  const half = arePictures.map(() => false)
  for (let at = 1; at < arePictures.length; at += 1) {
    if (!arePictures[at] || !arePictures[at - 1] || half[at - 1]) continue
    half[at - 1] = true
    half[at] = true
  }
  return half
}
