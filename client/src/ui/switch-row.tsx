import { useId } from 'react'
import css from './switch-row.module.css'

/** A setting that is on or off, in words, with a line that explains it. */
export function SwitchRow({
  label,
  hint,
  isOn,
  disabled = false,
  onTurn,
}: {
  label: string
  hint: string
  isOn: boolean
  disabled?: boolean
  onTurn: (isOn: boolean) => void
}) {
  const described = useId()
  return (
    <label className={css.row}>
      <span className={css.words}>
        {label}
        <span id={described} className={css.hint}>
          {hint}
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        className={css.switch}
        checked={isOn}
        disabled={disabled}
        aria-describedby={described}
        onChange={(event) => onTurn(event.currentTarget.checked)}
      />
    </label>
  )
}
