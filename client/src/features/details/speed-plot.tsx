import { t } from '@lingui/core/macro'
import { averageSpeed, type Flow, speeds, topSpeed } from '../../stores/flow'
import { formatSpeed } from '../transfer/format-bytes'
import { formatClock } from '../transfer/format-duration'
import { PLOT, plotShape } from './plot-shape'
import css from './speed-plot.module.css'

/** The speed of a transfer from its beginning until now. A reader hears the sum of it. */
export function SpeedPlot({ flow }: { flow: Flow }) {
  const shape = plotShape(speeds(flow))
  const [average, top] = [averageSpeed(flow), topSpeed(flow)]
  if (!shape || average === null || top === null) {
    return <p className={css.short}>{t`Too short to measure`}</p>
  }
  const time = formatClock((flow.moved - flow.began) / 1000)
  const [mean, highest] = [formatSpeed(average), formatSpeed(top)]
  return (
    <figure className={css.plot} dir="ltr">
      <span className={css.top} dir="auto">
        {highest}
      </span>
      <svg
        role="img"
        aria-label={t`Speed over ${time} minutes: on average ${mean}, at most ${highest}`}
        viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
        preserveAspectRatio="none"
      >
        <path className={css.area} d={shape.area} />
        <path className={css.line} d={shape.line} vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption className={css.times} aria-hidden="true">
        <span>0:00</span>
        <span>{time}</span>
      </figcaption>
    </figure>
  )
}
