import { useEffect, useState } from 'react'
import { looksSealed } from '../../stores/encryption'
import { useApp } from '../actions'
import { arrivalNews, deviceNews, pointedOutNews, progressNews, removalNews } from './news'

/** Announces the news to screen readers, politely. It is not visible. */
export function LiveNews() {
  const { stores } = useApp()
  const [news, setNews] = useState({ number: 0, text: '' })
  useEffect(() => {
    const tell = (text: string | null) => {
      if (text !== null) setNews(({ number }) => ({ number: number + 1, text }))
    }
    const ends = [
      stores.items.subscribe((now, old) => tell(arrivalNews(old, now, stores.devices.getState()))),
      stores.pointedOut.subscribe((now) => tell(pointedOutNews(now, stores.items.getState().items))),
      stores.devices.subscribe((now, old) => {
        tell(deviceNews(old, now, looksSealed(stores.encryption.getState())))
        tell(removalNews(old, now))
      }),
      stores.transfers.subscribe((now, old) => tell(progressNews(old, now, stores.items.getState().items))),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [stores])
  return (
    <p className="visually-hidden" aria-live="polite">
      {/* Keyed by number, so that a repeated text gets a new element and is announced again. */}
      <span key={news.number}>{news.text}</span>
    </p>
  )
}
