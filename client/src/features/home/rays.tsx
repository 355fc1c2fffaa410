import { cx } from '../../ui/cx'
import css from './rays.module.css'

/** The background picture: light is reflected by the QR code towards the other device. */
export function Rays({ lit, beside }: { lit: boolean; beside: boolean }) {
  return (
    <svg
      className={cx(css.rays, beside && css.beside, !lit && css.out)}
      viewBox="0 0 1440 900"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <defs>
        <linearGradient id="ray-in" gradientUnits="userSpaceOnUse" x1="180" y1="-60" x2="700" y2="290">
          <stop stopColor="#FFC24D" stopOpacity="0" />
          <stop offset=".35" stopColor="#FFC24D" stopOpacity=".2" />
          <stop offset="1" stopColor="#FFB52E" stopOpacity=".3" />
        </linearGradient>
        <linearGradient id="ray-out" gradientUnits="userSpaceOnUse" x1="740" y1="290" x2="1420" y2="-20">
          <stop stopColor="#7F5AF0" stopOpacity=".3" />
          <stop offset=".55" stopColor="#7F5AF0" stopOpacity=".13" />
          <stop offset="1" stopColor="#7F5AF0" stopOpacity="0" />
        </linearGradient>
      </defs>
      <path transform="translate(0 26)" d="M-40 -150 130 -150 740 300 700 318Z" fill="url(#ray-in)" />
      <path transform="translate(0 26)" d="M706 316 740 298 1560 -190 1560 60Z" fill="url(#ray-out)" />
    </svg>
  )
}
