/** The way of a transfer: how many links carry it, by kind. */

export interface Way {
  /** Connections from device to device. */
  readonly direct: number
  /** Connections over a TURN server. */
  readonly turn: number
  /** Whether the server's relay carries too. */
  readonly server: boolean
}

/** The way of a transfer: over links to devices, or from the server's stored copy. */
export type TransferWay = Way | 'stored'

/** One connection from device to device. */
export const DIRECT: Way = { direct: 1, turn: 0, server: false }
