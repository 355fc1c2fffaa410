import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import ArrowLeft from 'lucide-react/icons/arrow-left'
import Plus from 'lucide-react/icons/plus'
import { useEffect, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useStore } from 'zustand'
import type { ListsState } from '../../stores/beams'
import { Button, buttonClass } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { Tabs } from '../../ui/tabs'
import { useApp } from '../actions'
import { paths } from '../paths'
import { BeamsFailed, BeamsLoading, MineTab, MySharesTab, SharedWithMeTab } from './beam-tabs'
import css from './my-beams.module.css'

type TabKey = 'mine' | 'withMe' | 'byMe'

const TABS: readonly { key: TabKey; label: MessageDescriptor }[] = [
  { key: 'mine', label: msg`My Beams` },
  { key: 'withMe', label: msg`Shared With Me` },
  { key: 'byMe', label: msg`My Shares` },
]

/** My Beams: the account's beams, the beams shared with it, and its own shares. */
export function MyBeams() {
  const { stores, actions } = useApp()
  const lists = useStore(stores.beams, (state) => state.lists)
  const [tab, setTab] = useState<TabKey>('mine')
  useEffect(() => void actions.beams.load(), [actions])
  const tabs = TABS.map(({ key, label }) => ({
    key,
    label: i18n._(label),
    count: lists.status === 'ready' ? lists[key].length : null,
  }))
  return (
    <main className={css.page}>
      <Head />
      <Tabs label={t`Beams`} tabs={tabs} chosen={tab} onChoose={setTab}>
        <Shown tab={tab} lists={lists} />
      </Tabs>
    </main>
  )
}

function Head() {
  return (
    <div className={css.head}>
      <div className={css.back}>
        <Link className={buttonClass({ look: 'ghost', size: 'sm' })} to={paths.home}>
          <Icon of={ArrowLeft} size={16} />
          <span>{t`Back to Home`}</span>
        </Link>
      </div>
      <h1>{t`My Beams`}</h1>
      <div className={css.newBeam}>
        <NewBeamButton label={t`New Beam`} look="primary" />
      </div>
    </div>
  )
}

/** Creates a beam and opens the page that shows it. */
function NewBeamButton({ label, look }: { label: string; look: 'primary' | 'soft' }) {
  const { actions } = useApp()
  const navigate = useNavigate()
  return (
    <Button
      look={look}
      icon={Plus}
      onClick={() => {
        void actions.newBeam()
        void navigate(paths.home)
      }}
    >
      {label}
    </Button>
  )
}

function Shown({ tab, lists }: { tab: TabKey; lists: ListsState }) {
  switch (lists.status) {
    case 'idle':
    case 'loading':
      return <BeamsLoading />
    case 'failed':
      return <BeamsFailed />
    case 'ready':
      if (tab === 'mine')
        return <MineTab beams={lists.mine} newBeam={<NewBeamButton label={t`Create Beam`} look="soft" />} />
      if (tab === 'withMe') return <SharedWithMeTab shares={lists.withMe} />
      return <MySharesTab shares={lists.byMe} />
  }
}
