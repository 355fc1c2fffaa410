import { lazy, Suspense } from 'react'
import { BrowserRouter, Route, Routes } from 'react-router'
import { type House, HouseContext } from '../features/actions'
import { DropZone } from '../features/files/drop-zone'
import { LiveNews } from '../features/toasts/live-news'
import { ErrorBoundary } from './error-boundary'
import { paths } from './paths'
import { HomeRoute } from './routes/home-route'
import { Loading } from './shell/loading'

const SpaceRoute = lazy(() => import('./routes/space-route').then((m) => ({ default: m.SpaceRoute })))
const BeamsRoute = lazy(() => import('./routes/beams').then((m) => ({ default: m.BeamsRoute })))
const NotFoundRoute = lazy(() =>
  import('./routes/not-found-route').then((m) => ({ default: m.NotFoundRoute })),
)

/** Everything that is on the page. */
export function App({ house }: { house: House }) {
  return (
    <ErrorBoundary>
      <HouseContext value={house}>
        <BrowserRouter>
          <Suspense fallback={<Loading />}>
            <Routes>
              <Route path={paths.home} element={<HomeRoute />} />
              <Route path={paths.space} element={<SpaceRoute />} />
              <Route path={paths.beams} element={<BeamsRoute />} />
              <Route path="*" element={<NotFoundRoute />} />
            </Routes>
          </Suspense>
        </BrowserRouter>
        <DropZone />
        <LiveNews />
      </HouseContext>
    </ErrorBoundary>
  )
}
