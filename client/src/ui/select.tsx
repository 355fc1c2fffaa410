import ChevronDown from 'lucide-react/icons/chevron-down'
import { cx } from './cx'
import { Icon } from './icon'
import css from './select.module.css'

interface SelectProps<Value extends string> {
  /** The accessible name. */
  label: string
  value: Value
  options: readonly { readonly value: Value; readonly label: string }[]
  /** As high as a field, small enough for a row, or one of a toolbar's tools. */
  look: 'field' | 'row' | 'tool'
  disabled?: boolean
  onChange: (value: Value) => void
}

/** One of a few: the browser's own list, which every phone and every keyboard knows. */
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
