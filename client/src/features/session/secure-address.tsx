import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { linkOn, secureOrigin } from '../../protocol/beam-link'
import { useApp } from '../actions'
import { useSession } from './beam'

/** Leads from a page that came without https to the same place by https; or says that the server has no such address. */
export function SecureAddress() {
  const origin = useStore(useApp().stores.site, ({ site }) => secureOrigin(site))
  const session = useSession()
  if (origin === null) return <span>{t`Ask whoever runs this server for an https address.`}</span>
  return <a href={linkOn(origin, session)}>{t`Open it over https`}</a>
}
