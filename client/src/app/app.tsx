import { lazy, Suspense } from 'react'
import { BrowserRouter, Route, Routes } from 'react-router'
import { type House, HouseContext } from '../features/actions'
import { EditorHost } from '../features/editor/editor-host'
import { DropZone } from '../features/files/drop-zone'
import { LiveNews } from '../features/toasts/live-news'
import { ErrorBoundary } from './error-boundary'
import { paths } from './paths'
import { HomeRoute } from './routes/home-route'
import { Loading } from './shell/loading'

const SpaceRoute = lazy(() => import('./routes/space-route').then((m) => ({ default: m.SpaceRoute })))
const BeamsRoute = lazy(() => import('./routes/beams').then((m) => ({ default: m.BeamsRoute })))
const LoginRoute = lazy(() => import('./routes/login').then((m) => ({ default: m.LoginRoute })))
const RegisterRoute = lazy(() => import('./routes/register').then((m) => ({ default: m.RegisterRoute })))
const ProfileRoute = lazy(() => import('./routes/profile').then((m) => ({ default: m.ProfileRoute })))
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
              <Route path={paths.login} element={<LoginRoute />} />
              <Route path={paths.register} element={<RegisterRoute />} />
              <Route path={paths.profile} element={<ProfileRoute />} />
              <Route path="*" element={<NotFoundRoute />} />
            </Routes>
          </Suspense>
        </BrowserRouter>
        <DropZone />
        <EditorHost />
        <LiveNews />
      </HouseContext>
    </ErrorBoundary>
  )
}
