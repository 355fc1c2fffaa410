import { useEffect } from 'react'
import { useProduct } from '../../features/session/beam'

/** Sets the title of the browser's tab, such as `Space · Heliograph`. */
export function usePageTitle(page: string | null) {
  const { name } = useProduct()
  useEffect(() => {
    document.title = page ? `${page} · ${name}` : name
  }, [page, name])
}
