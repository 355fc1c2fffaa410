import { i18n, type MessageDescriptor } from '@lingui/core'
import { t } from '@lingui/core/macro'
import CircleCheck from 'lucide-react/icons/circle-check'
import CircleDashed from 'lucide-react/icons/circle-dashed'
import CircleX from 'lucide-react/icons/circle-x'
import Copy from 'lucide-react/icons/copy'
import RotateCw from 'lucide-react/icons/rotate-cw'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import { type Finding, type Outcome, TRIALS, type Trial, UNREACHABLE, worst } from '../../protocol/findings'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { type Glyph, Icon } from '../../ui/icon'
import { NarrowPage } from '../../ui/narrow-page'
import css from './doctor-page.module.css'
import { OUTCOMES, SERVER_AWAY, TURN_OFF, WORDS } from './doctor-texts'

const GLYPHS: Readonly<Record<Outcome, Glyph>> = {
  ok: CircleCheck,
  warning: TriangleAlert,
  failed: CircleX,
  skipped: CircleDashed,
}

interface DoctorPageProps {
  readonly findings: readonly Finding[]
  readonly isRunning: boolean
  readonly isCopied: boolean
  readonly onAgain: () => void
  readonly onCopy: () => void
}

/** The doctor: what works in this browser, over this network and at this server, and what to do about the rest. */
export function DoctorPage({ findings, isRunning, isCopied, onAgain, onCopy }: DoctorPageProps) {
  return (
    <NarrowPage heading={t`Connection check`}>
      <p className={css.sub}>{t`What works in this browser, over this network and at this server.`}</p>
      <p className={css.sum} role="status">
        {isRunning ? i18n._(OUTCOMES.running) : summary(worst(findings))}
      </p>
      <ul className={css.list}>
        {TRIALS.map((trial) => (
          <Line key={trial} trial={trial} finding={findings.find((one) => one.trial === trial)} />
        ))}
      </ul>
      <div className={css.foot}>
        <Button look="primary" icon={RotateCw} disabled={isRunning} onClick={onAgain}>
          {t`Check again`}
        </Button>
        <Button icon={Copy} disabled={isRunning} onClick={onCopy}>
          {isCopied ? t`Copied` : t`Copy for a bug report`}
        </Button>
      </div>
    </NarrowPage>
  )
}

function summary(outcome: Outcome): string {
  if (outcome === 'failed') return t`Something does not work.`
  return outcome === 'warning'
    ? t`Everything needed works; some things could be better.`
    : t`Everything works.`
}

function adviceOn({ trial, detail }: Finding): MessageDescriptor {
  if (detail === 'off') return TURN_OFF
  return detail === UNREACHABLE ? SERVER_AWAY : WORDS[trial].advice
}

function Line({ trial, finding }: { trial: Trial; finding: Finding | undefined }) {
  const { name } = WORDS[trial]
  const outcome = finding?.outcome
  const bad = outcome === 'failed' || outcome === 'warning' ? finding : undefined
  return (
    <li className={cx(css.line, css[outcome ?? 'skipped'])} data-trial={trial} data-outcome={outcome}>
      <span className={css.icon}>
        <Icon of={GLYPHS[outcome ?? 'skipped']} size={20} />
      </span>
      <div className={css.words}>
        <h2>{typeof name === 'string' ? name : i18n._(name)}</h2>
        {bad && <p>{i18n._(adviceOn(bad))}</p>}
      </div>
      <span className={css.outcome}>{i18n._(OUTCOMES[outcome ?? 'running'])}</span>
    </li>
  )
}
