import type { ComponentType } from 'react'

/** An icon component, such as those of lucide. */
export type Glyph = ComponentType<{
  size?: number | string
  strokeWidth?: number | string
  className?: string
  fill?: string
}>

/** An icon beside a label, hidden from screen readers. */
export function Icon({ of: Picture, size = 18 }: { of: Glyph; size?: number }) {
  return <Picture size={size} strokeWidth={1.75} />
}

/** The icon of the source code repository. */
export function SourceGlyph({ size = 18 }: { size?: number | string }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
      <path d="M12 1.8a10.4 10.4 0 0 0-3.3 20.3c.5.1.7-.2.7-.5v-1.9c-2.9.6-3.5-1.3-3.5-1.3-.5-1.2-1.2-1.5-1.2-1.5-1-.7 0-.7 0-.7 1 .1 1.6 1.1 1.6 1.1 1 1.6 2.5 1.2 3.1.9.1-.7.4-1.2.7-1.4-2.3-.3-4.8-1.2-4.8-5.2 0-1.1.4-2 1.1-2.8-.1-.3-.5-1.3.1-2.8 0 0 .9-.3 2.9 1a10 10 0 0 1 5.2 0c2-1.3 2.9-1 2.9-1 .6 1.5.2 2.5.1 2.8.7.8 1.1 1.7 1.1 2.8 0 4-2.5 4.9-4.8 5.2.4.3.7 1 .7 1.9v2.9c0 .3.2.6.7.5A10.4 10.4 0 0 0 12 1.8Z" />
    </svg>
  )
}
