/** When something ends, in words: `15:30` today, `Tue 15:30` later. */

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })

/** Both times are in milliseconds since the Unix epoch, and shown in this device's time zone. */
export function formatUntil(until: number, now: number): string {
  const time = TIME.format(until)
  const isToday = new Date(until).toDateString() === new Date(now).toDateString()
  return isToday ? time : `${DAY.format(until)} ${time}`
}
