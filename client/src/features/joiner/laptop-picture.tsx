import css from './laptop-picture.module.css'

/** A picture of a laptop with a QR code and its beam to a phone. The code contains no text. */
export function LaptopPicture() {
  return (
    <svg className={css.picture} viewBox="0 0 390 300" aria-hidden="true">
      <Light />
      <path className={css.light} d="M-120 -130 -40 -170 168 118 142 140Z" fill="url(#joiner-in)" />
      <rect className={css.shell} x="52" y="56" width="216" height="146" rx="14" />
      <path className={css.shell} d="M28 202h264v6a14 14 0 0 1-14 14H42a14 14 0 0 1-14-14z" />
      <path className={css.line} d="M134 202h52a6 6 0 0 1-6 6h-40a6 6 0 0 1-6-6z" />
      <rect x="118" y="88" width="84" height="84" rx="12" fill="#5B36D6" />
      <Code />
      <path d="M202 118 320 166 320 262 202 140Z" fill="url(#joiner-out)" />
      <rect className={css.shell} x="286" y="132" width="76" height="150" rx="18" />
      <rect className={css.line} x="311" y="139" width="26" height="5" rx="2.5" />
      <g transform="rotate(-2 324 177)">
        <rect x="297" y="160" width="54" height="34" rx="8" fill="url(#joiner-note)" />
        <path d="M305 171h30M305 179h20" stroke="#fff" strokeWidth="3" strokeLinecap="round" opacity=".85" />
      </g>
      <rect
        x="297"
        y="202"
        width="54"
        height="26"
        rx="8"
        fill="url(#joiner-note-2)"
        transform="rotate(1 324 215)"
      />
    </svg>
  )
}

function Light() {
  return (
    <defs>
      <linearGradient id="joiner-in" gradientUnits="userSpaceOnUse" x1="-40" y1="-110" x2="150" y2="130">
        <stop stopColor="#FFC24D" stopOpacity="0" />
        <stop offset="1" stopColor="#FFB52E" stopOpacity=".38" />
      </linearGradient>
      <linearGradient id="joiner-out" gradientUnits="userSpaceOnUse" x1="160" y1="130" x2="330" y2="220">
        <stop stopColor="#7F5AF0" stopOpacity=".42" />
        <stop offset="1" stopColor="#7F5AF0" stopOpacity=".1" />
      </linearGradient>
      <linearGradient id="joiner-note" x2="1" y2="1">
        <stop stopColor="#7C3AED" />
        <stop offset="1" stopColor="#4F46E5" />
      </linearGradient>
      <linearGradient id="joiner-note-2" x2="1" y2="1">
        <stop stopColor="#0B6E89" />
        <stop offset="1" stopColor="#0D706A" />
      </linearGradient>
    </defs>
  )
}

/** The three corners of a QR code and a few modules. */
function Code() {
  const corners = [
    [126, 96],
    [176, 96],
    [126, 146],
  ] as const
  return (
    <g fill="#fff">
      {corners.map(([x, y]) => (
        <g key={`${x} ${y}`}>
          <rect
            x={x + 1.5}
            y={y + 1.5}
            width="15"
            height="15"
            rx="2.5"
            fill="none"
            stroke="#fff"
            strokeWidth="3"
          />
          <rect x={x + 6} y={y + 6} width="6" height="6" rx="1" />
        </g>
      ))}
      <path d="M150 96h4v4h4v4h-8zM162 100h4v8h-4zM150 110h8v4h4v4h-4v4h-8zM170 118h8v4h8v4h-4v4h-12zM126 120h6v4h6v-4h6v8h-6v4h-8v4h-4zM190 134h4v8h-4v4h-8v-4h4v-4h4zM150 128h8v6h6v4h-6v4h-8zM166 140h6v4h4v8h-4v4h-6zM150 148h6v4h6v4h-6v8h-6zM182 152h6v-4h6v8h-4v8h-8zM166 158h8v6h-8z" />
    </g>
  )
}
