import { useEffect } from 'react'
import { useProduct } from '../../features/session/beam'

/** Names the page in the browser's tab: `Space · Heliograph`. */
export function usePageTitle(page: string | null) {
  const { name } = useProduct()
  useEffect(() => {
    document.title = page ? `${page} · ${name}` : name
  }, [page, name])
}
