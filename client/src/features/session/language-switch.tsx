import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { LANGUAGES } from '../../languages/languages'
import { Select } from '../../ui/select'
import { useApp } from '../actions'

const OPTIONS = LANGUAGES.map(({ code, name }) => ({ value: code, label: name }))

/** The choice of the page's language. Each has its own name, so that its reader finds it in any other. */
export function LanguageSwitch() {
  const { stores, actions } = useApp()
  const { language } = useStore(stores.language)
  return (
    <Select
      label={t`Language`}
      look="row"
      value={language}
      options={OPTIONS}
      onChange={(chosen) => void actions.chooseLanguage(chosen)}
    />
  )
}
