import { t } from '@lingui/core/macro'
import { Suspense, useRef } from 'react'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import { FileInput, PICKS_FOLDERS } from '../files/file-input'
import { usePasteAnywhere } from '../files/paste-anywhere'
import { KeepCard } from '../keep/keep-card'
import { CanvasSearch } from '../search/canvas-search'
import { useMayShare, useSession } from '../session/beam'
import { BeamGone, useGone } from '../session/beam-gone'
import { PageFooter } from '../session/page-footer'
import { ReadOnly } from '../session/read-only'
import { Toolbar } from '../toolbar/toolbar'
import { ReceiveAll } from '../transfer/receive-all'
import { CornerQr } from './corner-qr'
import css from './desktop-home.module.css'
import { Hero, HeroBesideNotes, NoBeam } from './hero'
import { NothingYet } from './nothing-yet'
import { Rays } from './rays'
import { hasNotes, isShared, type Stage, useStage } from './stage'

const LazyCanvas = lazyPart(
  () => import('../canvas/canvas'),
  (m) => m.Canvas,
)

/** The canvas is loaded while the page connects: the code is on the screen before it. */
function Canvas() {
  return (
    <Suspense>
      <LazyCanvas />
    </Suspense>
  )
}

/** The home of wide screens: the QR code, then the canvas. */
export function DesktopHome() {
  const { actions } = useApp()
  const session = useSession()
  const stage = useStage()
  const mayShare = useMayShare()
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
        <Canvas />
        <Rays lit={stage === 'alone' || stage === 'alone-with-notes'} beside={stage === 'alone-with-notes'} />
        <Middle stage={stage} />
        {isShared(stage) && <CornerQr />}
        {stage === 'alone-with-notes' && <KeepCard place="canvas" />}
        <ReceiveAll on="canvas" />
        {hasNotes(stage) && <CanvasSearch />}
        {hasNotes(stage) && <p className={css.hint}>{t`Double Click a note to copy`}</p>}
        {session && !gone && (mayShare ? <Tools /> : <Reader />)}
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
