import ChevronDown from 'lucide-react/icons/chevron-down'
import { cx } from '../../ui/cx'
import { type Glyph, Icon } from '../../ui/icon'
import popover from './popover.module.css'
import css from './tool.module.css'

interface ToolProps {
  icon: Glyph
  label: string
  /** Left out where a tool has no state. */
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
      // The text keeps its selection and, on phones, its keyboard.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onUse}
    >
      <Icon of={icon} size={17} />
    </button>
  )
}

interface ToolSelectProps<Value extends string> {
  label: string
  value: Value
  options: readonly { readonly value: Value; readonly label: string }[]
  onChange: (value: Value) => void
}

/** One of several, in the toolbar. */
export function ToolSelect<Value extends string>({
  label,
  value,
  options,
  onChange,
}: ToolSelectProps<Value>) {
  return (
    <span className={css.select}>
      <select
        aria-label={label}
        title={label}
        value={value}
        onChange={(event) => {
          const chosen = options.find((option) => option.value === event.currentTarget.value)
          if (chosen) onChange(chosen.value)
        }}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <Icon of={ChevronDown} size={13} />
    </span>
  )
}
