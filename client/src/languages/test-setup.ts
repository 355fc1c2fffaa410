/** Tests read the page in English, with the texts of the sources. */
import { i18n } from '@lingui/core'

i18n.loadAndActivate({ locale: 'en', messages: {} })
