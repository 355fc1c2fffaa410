import { type ComponentProps, Suspense } from 'react'
import { lazyPart } from '../../ui/lazy-part'

const FullView = lazyPart(
  () => import('./full-view'),
  (m) => m.FullView,
)

/** The full view. Its code is loaded on the first use. */
export function LazyFullView(props: ComponentProps<typeof FullView>) {
  return (
    <Suspense fallback={null}>
      <FullView {...props} />
    </Suspense>
  )
}
