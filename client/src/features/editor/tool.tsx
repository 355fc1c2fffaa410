import { cx } from '../../ui/cx'
import { type Glyph, Icon } from '../../ui/icon'
import popover from './popover.module.css'

interface ToolProps {
  icon: Glyph
  label: string
  /** Absent for a tool without a state. */
  pressed?: boolean
  disabled?: boolean
  onUse: () => void
}

/** A button of the toolbar. */
export function Tool({ icon, label, pressed, disabled = false, onUse }: ToolProps) {
  return (
    <button
      type="button"
      className={cx(popover.button, pressed && popover.pressed)}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled}
      // Keeps the selection of the text, and on phones the keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onUse}
    >
      <Icon of={icon} size={17} />
    </button>
  )
}
