/** The sentences for transfers that failed. */
import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import type { TransferFailure } from '../../protocol/transfer-failure'

/** Returns the sentence to show for a failed transfer. */
export function failureText(failure: TransferFailure): string {
  switch (failure.reason) {
    case 'gone':
      return t`The other device no longer has this file. Ask for it to be shared again.`
    case 'noRoomThere':
      return t`The other device has no room for this file.`
    case 'sourceRemoved':
      return t`The device that has this file was removed from the beam.`
    case 'changed':
      return t`This file can no longer be read. Was it moved or changed? Share it again.`
    case 'damaged':
      return t`What arrived of this file is damaged. Try again, or share it again from the other device.`
    case 'readOnly':
      return t`In this beam this device can only read, so it cannot send files through the server.`
    case 'noRoomHere':
      return t`There is not enough free space for this file on this device. Make room, then try again.`
    case 'diskFull':
      return t`There is no space left on this device. Make room, then try again.`
    case 'tooLarge':
      return t`This browser can only receive files up to ${{ size: megabytes(failure.mostBytes) }} here. Open the page over https, or in another browser.`
    case 'memoryFull':
      return t`This browser can only keep ${{ size: megabytes(failure.mostBytes) }} of received files. Save and delete some of them, then try again.`
    case 'notWritten':
      return t`The file could not be written.`
    case 'notRead':
      return t`The file could not be read.`
    case 'other':
      return failure.message
  }
}

function megabytes(bytes: number): string {
  const unit = { style: 'unit', unit: 'megabyte', useGrouping: false } as const
  return i18n.number(Math.floor(bytes / (1024 * 1024)), unit)
}
