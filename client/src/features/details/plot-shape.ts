/** The shape of a plot of speeds, in the units of its view box. */

/** Width and height of the view box. The picture is stretched to its place. */
export const PLOT = { width: 100, height: 40 } as const

export interface PlotShape {
  readonly line: string
  /** The line and the ground below it. */
  readonly area: string
}

/**
 * Draws speeds from the start to the end, the highest at the top.
 * @param speeds at even distances; null when there are too few to draw
 */
export function plotShape(speeds: readonly number[]): PlotShape | null {
  if (speeds.length < 2) return null
  const top = Math.max(...speeds, 1)
  const points = speeds.map((speed, at) => {
    const x = (at * PLOT.width) / (speeds.length - 1)
    const y = PLOT.height * (1 - speed / top)
    return `${rounded(x)},${rounded(y)}`
  })
  const line = `M${points.join('L')}`
  return { line, area: `${line}L${PLOT.width},${PLOT.height}L0,${PLOT.height}Z` }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
