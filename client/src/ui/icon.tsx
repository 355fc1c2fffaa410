import type { ComponentType } from 'react'

/** A picture of one meaning; lucide's icons are such. */
export type Glyph = ComponentType<{
  size?: number | string
  strokeWidth?: number | string
  className?: string
  fill?: string
}>

/** An icon beside a label, so hidden from assistive technology. */
export function Icon({
  of: Picture,
  size = 18,
  filled = false,
}: {
  of: Glyph
  size?: number
  filled?: boolean
}) {
  return <Picture size={size} strokeWidth={1.75} {...(filled ? { fill: 'currentColor' } : {})} />
}
