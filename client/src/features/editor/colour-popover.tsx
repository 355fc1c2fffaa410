import { i18n } from '@lingui/core'
import Check from 'lucide-react/icons/check'
import type { Glyph } from '../../ui/icon'
import { Icon } from '../../ui/icon'
import css from './colour-popover.module.css'
import type { Colour } from './colours'
import { Popover } from './popover'

interface ColourPopoverProps {
  icon: Glyph
  label: string
  colours: readonly Colour[]
  onPick: (value: string | null) => void
}

/** Chooses one of a few colours, or none. */
export function ColourPopover({ icon, label, colours, onPick }: ColourPopoverProps) {
  return (
    <Popover icon={icon} label={label}>
      {(close) => (
        <Swatches
          colours={colours}
          onPick={(value) => {
            close()
            onPick(value)
          }}
        />
      )}
    </Popover>
  )
}

export function Swatches({ colours, onPick }: Pick<ColourPopoverProps, 'colours' | 'onPick'>) {
  return (
    <div className={css.swatches}>
      {colours.map(({ name, value }) => (
        <button
          key={name.id}
          type="button"
          className={css.swatch}
          aria-label={i18n._(name)}
          title={i18n._(name)}
          style={{ background: value ?? 'none' }}
          onClick={() => onPick(value)}
        >
          {value === null && <Icon of={Check} size={14} />}
        </button>
      ))}
    </div>
  )
}
