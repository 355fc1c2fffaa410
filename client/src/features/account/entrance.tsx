import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import Laptop from 'lucide-react/icons/laptop'
import Share2 from 'lucide-react/icons/share-2'
import Zap from 'lucide-react/icons/zap'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button'
import { SourceGlyph } from '../../ui/icon'
import { Tile } from '../../ui/tile'
import { useApp } from '../actions'
import { useProduct } from '../session/beam'
import { Brand } from '../session/brand'
import css from './entrance.module.css'

const FEATURES = [
  {
    icon: Zap,
    title: msg`Lightning Fast`,
    text: msg`Straight from one device to the other, as fast as your network.`,
    gradient: 0,
    tilt: -2,
  },
  {
    icon: Share2,
    title: msg`Easy Sharing`,
    text: msg`Scan a code or open a link. Nothing to install, nothing to set up.`,
    gradient: 2,
    tilt: 2,
  },
  {
    icon: Laptop,
    title: msg`Cross Platform`,
    text: msg`Phone, tablet, laptop: if it has a browser, it can join.`,
    gradient: 4,
    tilt: -1,
  },
]

/** The frame of Login and Register: a form, and on wide screens a description of the product beside it. */
export function Entrance({ title, sub, children }: { title: string; sub?: string; children: ReactNode }) {
  const { name } = useProduct()
  return (
    <div className={css.split}>
      <main className={css.form}>
        <div className={css.brand}>
          <Brand />
        </div>
        <h1>{title}</h1>
        {sub && <p className={css.sub}>{sub}</p>}
        {children}
      </main>
      <aside className={css.aside} aria-label={t`About ${name}`}>
        <Ray />
        {FEATURES.map(({ icon, title: feature, text, gradient, tilt }) => (
          <section key={feature.id} className={css.note} data-gradient={gradient} data-tilt={tilt}>
            <Tile icon={icon} />
            <h2>{i18n._(feature)}</h2>
            <p>{i18n._(text)}</p>
          </section>
        ))}
      </aside>
    </div>
  )
}

/** The button of another way to log in, which is not available yet. */
export function OtherWayIn() {
  const { actions } = useApp()
  return (
    <>
      <p className={css.or}>
        {t({ message: 'or', comment: 'Stands between the form and another way to log in' })}
      </p>
      <Button
        className={css.wide}
        icon={SourceGlyph}
        onClick={() => actions.account.comingSoon(t`Coming soon...`)}
      >
        {t`Continue with GitHub`}
      </Button>
    </>
  )
}

function Ray() {
  return (
    <svg className={css.ray} viewBox="0 0 880 900" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <defs>
        <linearGradient id="entrance-ray" gradientUnits="userSpaceOnUse" x1="-40" y1="760" x2="860" y2="120">
          <stop stopColor="#FFB52E" stopOpacity=".34" />
          <stop offset=".5" stopColor="#7F5AF0" stopOpacity=".16" />
          <stop offset="1" stopColor="#7F5AF0" stopOpacity="0" />
        </linearGradient>
      </defs>
      <path d="M-60 800 1000 -140 1000 420Z" fill="url(#entrance-ray)" />
    </svg>
  )
}
