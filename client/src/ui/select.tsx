import ChevronDown from 'lucide-react/icons/chevron-down'
import { cx } from './cx'
import { Icon } from './icon'
import css from './select.module.css'

interface SelectProps<Value extends string> {
  /** The accessible name. */
  label: string
  value: Value
  options: readonly { readonly value: Value; readonly label: string }[]
  /** `field`: as high as a text field. `row`: small enough for a row. `tool`: as high as a toolbar's button. */
  look: 'field' | 'row' | 'tool'
  disabled?: boolean
  onChange: (value: Value) => void
}

/** A choice of one from a few, as the browser's own list, which works on every phone and keyboard. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, value, options, look, disabled = false, onChange } = props
  return (
    <span className={cx(css.select, css[look])}>
      <select
        aria-label={label}
        title={look === 'tool' ? label : undefined}
        value={value}
        disabled={disabled}
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
      <Icon of={ChevronDown} size={look === 'field' ? 16 : 14} />
    </span>
  )
}
