/** The way of a transfer: how many links carry it, by kind. */

export interface Way {
  /** Connections from device to device. */
  readonly direct: number
  /** Connections over a TURN server. */
  readonly turn: number
  /** Whether the server's relay carries too. */
  readonly server: boolean
}

/** One connection from device to device. */
export const DIRECT: Way = { direct: 1, turn: 0, server: false }
