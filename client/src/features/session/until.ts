/** When something ends, in words: `15:30` today, `Tue 15:30` later. */
import { i18n } from '@lingui/core'

/** Both times are in milliseconds since the Unix epoch, and shown in this device's time zone. */
export function formatUntil(until: number, now: number): string {
  const time = i18n.date(new Date(until), { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const isToday = new Date(until).toDateString() === new Date(now).toDateString()
  return isToday ? time : `${i18n.date(new Date(until), { weekday: 'short' })} ${time}`
}
