import { useEffect, useState } from 'react'
import { useApp } from '../actions'
import { arrivalNews, deviceNews, progressNews } from './news'

/** Reads the news out, politely. Nothing of it is seen. */
export function LiveNews() {
  const { stores } = useApp()
  const [news, setNews] = useState({ number: 0, text: '' })
  useEffect(() => {
    const tell = (text: string | null) => {
      if (text !== null) setNews(({ number }) => ({ number: number + 1, text }))
    }
    const ends = [
      stores.items.subscribe((now, old) => tell(arrivalNews(old, now, stores.devices.getState()))),
      stores.devices.subscribe((now, old) => tell(deviceNews(old, now))),
      stores.transfers.subscribe((now, old) => tell(progressNews(old, now, stores.items.getState().items))),
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [stores])
  return (
    <p className="visually-hidden" aria-live="polite">
      {/* The same words twice are two pieces of news: each has an element of its own. */}
      <span key={news.number}>{news.text}</span>
    </p>
  )
}
