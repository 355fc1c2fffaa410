import { t } from '@lingui/core/macro'
import { Suspense, useRef } from 'react'
import { lazyPart, loadable } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { EmptyGround } from '../canvas/empty-ground'
import { NotLetIn, useShutOut } from '../devices/not-let-in'
import { FileInput, PICKS_FOLDERS } from '../files/file-input'
import { usePasteAnywhere } from '../files/paste-anywhere'
import { useMayShare, useSession } from '../session/beam'
import { BeamGone, useGone } from '../session/beam-gone'
import { PageFooter } from '../session/page-footer'
import { ReadOnly } from '../session/read-only'
import { Toolbar } from '../toolbar/toolbar'
import { useCanvasNeeded } from './canvas-needed'
import css from './desktop-home.module.css'
import { Hero, HeroBesideNotes, NoBeam } from './hero'
import { NothingYet } from './nothing-yet'
import { Rays } from './rays'
import { hasNotes, isShared, type Stage, useStage } from './stage'

const loadCanvas = loadable(() => import('../canvas/canvas'))
const loadOverCanvas = loadable(() => import('./over-canvas'))
const loadBoth = () => Promise.all([loadCanvas(), loadOverCanvas()])
const LazyCanvas = lazyPart(loadCanvas, (m) => m.Canvas)
const OverCanvas = lazyPart(loadOverCanvas, (m) => m.OverCanvas)

function Canvas() {
  return (
    <Suspense fallback={<EmptyGround />}>
      <LazyCanvas />
    </Suspense>
  )
}

/** The home of wide screens: the QR code, then the canvas. */
export function DesktopHome() {
  const { actions } = useApp()
  const session = useSession()
  const stage = useStage()
  const isCanvasNeeded = useCanvasNeeded(stage, loadBoth)
  const mayShare = useMayShare()
  const isShutOut = useShutOut()
  const gone = useGone()
  usePasteAnywhere(actions, 'home', session !== null && mayShare)
  if (gone && stage !== 'gone') {
    return (
      <main className={css.home}>
        <Canvas />
        <BeamGone why={gone} />
      </main>
    )
  }
  return (
    <>
      <main className={css.home}>
        {isCanvasNeeded ? <Canvas /> : <EmptyGround />}
        <Rays lit={stage === 'alone' || stage === 'alone-with-notes'} beside={stage === 'alone-with-notes'} />
        <Middle stage={stage} />
        <Suspense>{isCanvasNeeded && <OverCanvas stage={stage} />}</Suspense>
        {session && !gone && !isShutOut && (mayShare ? <Tools /> : <Reader />)}
      </main>
      {!hasNotes(stage) && <PageFooter place={isShared(stage) ? 'beside-code' : 'corners'} />}
    </>
  )
}

function Middle({ stage }: { stage: Stage }) {
  switch (stage) {
    case 'no-beam':
      return <NoBeam />
    case 'alone':
      return <Hero />
    case 'nothing-yet':
      return <NothingYet />
    case 'alone-with-notes':
      return <HeroBesideNotes />
    case 'not-let-in':
      return (
        <div className={css.middle}>
          <NotLetIn />
        </div>
      )
    case 'joining':
    case 'shared':
    case 'gone':
      return null
  }
}

function Reader() {
  return (
    <div className={css.reader}>
      <ReadOnly />
    </div>
  )
}

function Tools() {
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  return (
    <>
      <Toolbar
        onFiles={() => files.current?.click()}
        onFolder={PICKS_FOLDERS ? () => folder.current?.click() : null}
      />
      <FileInput ref={files} label={t`Choose files`} reachedByMenu />
      {PICKS_FOLDERS && <FileInput ref={folder} label={t`Choose folder`} folder reachedByMenu />}
    </>
  )
}
