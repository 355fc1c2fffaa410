import { Suspense } from 'react'
import { BrowserRouter, Route, Routes, useLocation, useNavigate } from 'react-router'
import { useStore } from 'zustand'
import { AppContext, type AppValue } from '../features/actions'
import { BeamDialogHost } from '../features/beam/beam-dialog-host'
import { EditorHost } from '../features/editor/editor-host'
import { DropZone } from '../features/files/drop-zone'
import { PasteHost } from '../features/files/paste-host'
import { FullViewHost } from '../features/full-view/full-view-host'
import { ShortcutHost } from '../features/join/shortcut-host'
import { paths } from '../features/paths'
import { LiveNews } from '../features/toasts/live-news'
import { lazyPart } from '../ui/lazy-part'
import { ErrorBoundary } from './error-boundary'
import { HomeRoute } from './routes/home-route'
import { JoinRoute } from './routes/join-route'
import { Loading } from './shell/loading'

const SpaceRoute = lazyPart(
  () => import('./routes/space-route'),
  (m) => m.SpaceRoute,
)
const BeamsRoute = lazyPart(
  () => import('./routes/beams'),
  (m) => m.BeamsRoute,
)
const LoginRoute = lazyPart(
  () => import('./routes/login'),
  (m) => m.LoginRoute,
)
const RegisterRoute = lazyPart(
  () => import('./routes/register'),
  (m) => m.RegisterRoute,
)
const ProfileRoute = lazyPart(
  () => import('./routes/profile'),
  (m) => m.ProfileRoute,
)
const DoctorRoute = lazyPart(
  () => import('./routes/doctor-route'),
  (m) => m.DoctorRoute,
)
const CertificateRoute = lazyPart(
  () => import('./routes/certificate-route'),
  (m) => m.CertificateRoute,
)
const NotFoundRoute = lazyPart(
  () => import('./routes/not-found-route'),
  (m) => m.NotFoundRoute,
)

/** The whole page. */
export function App({ app }: { app: AppValue }) {
  // In another language everything is drawn again: texts are looked up while it is drawn.
  useStore(app.stores.language)
  return (
    <ErrorBoundary>
      <AppContext value={app}>
        <BrowserRouter>
          <Pages />
          <ErrorBoundary onGoOn={() => app.stores.beamDialog.setState({ kind: 'none' }, true)}>
            <BeamDialogHost />
          </ErrorBoundary>
        </BrowserRouter>
        <DropZone />
        <ErrorBoundary onGoOn={app.actions.closeFull}>
          <FullViewHost />
        </ErrorBoundary>
        <ErrorBoundary onGoOn={app.actions.notes.close}>
          <EditorHost />
          <PasteHost />
          <ShortcutHost />
        </ErrorBoundary>
        <LiveNews />
      </AppContext>
    </ErrorBoundary>
  )
}

/** The page for the current address. When its code does not load, the error screen offers the home page. */
function Pages() {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  return (
    <ErrorBoundary page={pathname} onGoOn={() => void navigate(paths.home)}>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route path={paths.home} element={<HomeRoute />} />
          <Route path={paths.join} element={<JoinRoute />} />
          <Route path={paths.space} element={<SpaceRoute />} />
          <Route path={paths.beams} element={<BeamsRoute />} />
          <Route path={paths.login} element={<LoginRoute />} />
          <Route path={paths.register} element={<RegisterRoute />} />
          <Route path={paths.profile} element={<ProfileRoute />} />
          <Route path={paths.doctor} element={<DoctorRoute />} />
          <Route path={paths.certificate} element={<CertificateRoute />} />
          <Route path="*" element={<NotFoundRoute />} />
        </Routes>
      </Suspense>
    </ErrorBoundary>
  )
}
