import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { canPassOn } from '../../protocol/power'
import { SwitchRow } from '../../ui/switch-row'
import { useApp } from '../actions'

/** Lets a person decide whether this device passes on what it receives (F21). */
export function PassingOnSwitch() {
  const { stores, actions } = useApp()
  const isWanted = useStore(stores.passingOn, (state) => state.isWanted)
  const can = useStore(stores.power, canPassOn)
  return (
    <SwitchRow
      label={t`Pass files on`}
      hint={
        isWanted && !can
          ? t`Not now: this device runs on its battery, or saves data.`
          : t`Devices that receive the same file give it to each other, so that all of them have it sooner.`
      }
      isOn={isWanted}
      onTurn={actions.passOn}
    />
  )
}
