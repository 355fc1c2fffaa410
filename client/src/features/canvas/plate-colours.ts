/** The colours of what is painted on a canvas element, where the style sheet's names do not reach. */

/** The middles of the five gradients; they are the same in both themes. */
export const PLATE_COLOURS = ['#6543ea', '#3754e4', '#1565b6', '#0c6f7a', '#117452'] as const
export const ACCENT = '#7f5af0'
