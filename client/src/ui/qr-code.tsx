import { QRCodeSVG } from 'qrcode.react'
import { cx } from './cx'
import css from './qr-code.module.css'
// Embedded, so that the code has its mark without a network, too.
import mark from './qr-mark.svg?inline'

// Sides in px of the code and of its mark. With the modules cleared around it, the mark takes less than 5 % of the
// code.
const SIZE = 300
const MARK = 46

/** A QR code: white modules on violet, with a quiet zone of four modules and the mark in the middle. */
export function QrCode({
  value,
  size,
  label,
}: {
  value: string
  size: 'big' | 'medium' | 'corner'
  label?: string
}) {
  return (
    <div className={cx(css.qr, css[size])}>
      <QRCodeSVG
        value={value}
        size={SIZE}
        level="M"
        marginSize={4}
        bgColor="#5B36D6"
        fgColor="#FFFFFF"
        imageSettings={{ src: mark, width: MARK, height: MARK, excavate: true }}
        {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
      />
    </div>
  )
}
