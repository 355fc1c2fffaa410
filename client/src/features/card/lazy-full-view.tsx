import { type ComponentProps, Suspense } from 'react'
import { lazyPart } from '../../ui/lazy-part'

const FullView = lazyPart(
  () => import('./full-view'),
  (m) => m.FullView,
)

/** The full view, loaded when somebody asks for the first one. */
export function LazyFullView(props: ComponentProps<typeof FullView>) {
  return (
    <Suspense fallback={null}>
      <FullView {...props} />
    </Suspense>
  )
}
