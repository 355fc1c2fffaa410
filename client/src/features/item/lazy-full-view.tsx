import { type ComponentProps, lazy, Suspense } from 'react'

const FullView = lazy(() => import('./full-view').then((m) => ({ default: m.FullView })))

/** The full view, loaded when somebody asks for the first one. */
export function LazyFullView(props: ComponentProps<typeof FullView>) {
  return (
    <Suspense fallback={null}>
      <FullView {...props} />
    </Suspense>
  )
}
