import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useApp } from '../../features/actions'
import { useProduct } from '../../features/session/beam'

/** Sets the title of the browser's tab, such as `(3) Space · Heliograph`: three new items have not been seen. */
export function usePageTitle(page: string | null) {
  const { name } = useProduct()
  const unseen = useStore(useApp().stores.arrivals, (state) => state.unseen)
  useEffect(() => {
    const title = page ? `${page} · ${name}` : name
    document.title = unseen > 0 ? `(${unseen}) ${title}` : title
  }, [page, name, unseen])
}
