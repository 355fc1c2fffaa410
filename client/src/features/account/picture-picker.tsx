import { t } from '@lingui/core/macro'
import Camera from 'lucide-react/icons/camera'
import Trash2 from 'lucide-react/icons/trash-2'
import { useEffect, useId, useMemo } from 'react'
import { cx } from '../../ui/cx'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import css from './picture-picker.module.css'

/** Chooses, shows and removes a profile picture. */
export function PicturePicker({
  picture,
  error,
  onPick,
}: {
  picture: File | null
  /** The reason why the server refused it. */
  error: string | null
  /** Takes the file as it is. */
  onPick: (file: File | null) => void
}) {
  const address = useAddress(picture)
  const id = useId()
  const hint = useId()
  return (
    <div className={css.picker}>
      <span className={css.round}>
        {address ? <img src={address} alt={t`Your profile`} /> : <Icon of={Camera} size={22} />}
      </span>
      <div className={css.words}>
        <label htmlFor={id}>{t`Profile picture`}</label>
        <p id={hint} className={cx(error && css.error)}>
          {error ?? t`Optional. JPEG, PNG or WebP, under 5MB.`}
        </p>
      </div>
      {picture && <IconButton icon={Trash2} label={t`Remove picture`} onClick={() => onPick(null)} />}
      <input
        id={id}
        name="profile_picture"
        className={css.input}
        type="file"
        accept="image/jpeg,image/png,image/webp"
        aria-describedby={hint}
        aria-invalid={error !== null}
        onChange={(event) => {
          const input = event.currentTarget
          const [file] = input.files ?? []
          // Cleared, so that the same file can be chosen again after it was removed.
          input.value = ''
          if (file) onPick(file)
        }}
      />
    </div>
  )
}

/** Returns a blob URL of a file, for as long as it is shown. */
function useAddress(file: File | null): string | null {
  const address = useMemo(() => (file ? URL.createObjectURL(file) : null), [file])
  useEffect(() => () => void (address && URL.revokeObjectURL(address)), [address])
  return address
}
