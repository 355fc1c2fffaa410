import type { ComponentProps } from 'react'
import { cx } from './cx'
import { type Glyph, Icon } from './icon'
import css from './icon-button.module.css'

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: Glyph
  /** The accessible name, also shown as a tooltip. */
  label: string
  look?: 'bar' | 'plain' | 'fill' | 'well' | 'solid' | 'accent' | 'small'
  iconSize?: number
}

export function IconButton(props: IconButtonProps) {
  const { icon, label, look = 'bar', iconSize = 18, className, ...rest } = props
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={cx(css.button, css[look], className)}
    >
      <Icon of={icon} size={iconSize} />
    </button>
  )
}

interface IconLinkProps extends Omit<ComponentProps<'a'>, 'children'> {
  href: string
  icon: Glyph
  label: string
  look?: IconButtonProps['look']
  iconSize?: number
}

/** An icon button that is a link, so that the browser opens or downloads by itself. */
export function IconLink({
  href,
  icon,
  label,
  look = 'bar',
  iconSize = 18,
  className,
  ...rest
}: IconLinkProps) {
  return (
    <a
      href={href}
      aria-label={label}
      title={label}
      {...rest}
      className={cx(css.button, css[look], className)}
    >
      <Icon of={icon} size={iconSize} />
    </a>
  )
}
