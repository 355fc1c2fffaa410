import { t } from '@lingui/core/macro'
import { useEffect, useState } from 'react'
import { DoctorPage } from '../../features/doctor/doctor-page'
import { useProduct } from '../../features/session/beam'
import { type Finding, reportOf, TRIALS } from '../../protocol/findings'
import { runTrials } from '../../transport/trials/trials'
import { writeClipboard } from '../clipboard'
import { usePageTitle } from '../shell/page-title'
import { ViewportShell } from '../shell/viewport-shell'

export function DoctorRoute() {
  usePageTitle(t`Connection check`)
  return (
    <ViewportShell>
      <Doctor />
    </ViewportShell>
  )
}

/** Runs the trials when it is opened, and again when it is asked to. */
function Doctor() {
  const { version } = useProduct()
  const [round, setRound] = useState(0)
  const [findings, setFindings] = useState<readonly Finding[]>([])
  const [isRunning, setRunning] = useState(true)
  const [isCopied, setCopied] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is what runs the trials again.
  useEffect(() => {
    let isCurrent = true
    const ifCurrent = (act: () => void) => {
      if (isCurrent) act()
    }
    setFindings([])
    setRunning(true)
    setCopied(false)
    const tell = (finding: Finding) => ifCurrent(() => setFindings((before) => [...before, finding]))
    void runTrials(tell).finally(() => ifCurrent(() => setRunning(false)))
    return () => {
      isCurrent = false
    }
  }, [round])
  const copy = async () => {
    const inOrder = TRIALS.flatMap((trial) => findings.filter((finding) => finding.trial === trial))
    const about = { host: location.host, version, browser: navigator.userAgent }
    setCopied(await writeClipboard(reportOf(inOrder, about)))
  }
  return (
    <DoctorPage
      findings={findings}
      isRunning={isRunning}
      isCopied={isCopied}
      onAgain={() => setRound((before) => before + 1)}
      onCopy={() => void copy()}
    />
  )
}
