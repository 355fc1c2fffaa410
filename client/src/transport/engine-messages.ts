/** What the page and the engine tell each other. Plain values: the engine lives in a worker. */
import type { DeviceId, ErrorCode, ItemId } from '../protocol/bindings'

export type EngineCommand =
  /** Devices that speak frames, this one left out. One that is missing is gone. */
  | { do: 'devices'; devices: readonly { id: DeviceId; rtc: boolean }[] }
  /** Whether frames can go through the server now. */
  | { do: 'relay'; up: boolean }
  /** A frame that came through the server. */
  | { do: 'relayed'; from: DeviceId; frame: ArrayBuffer }
  /** The answer to `askRelay`: bytes that the websocket has not sent yet. */
  | { do: 'relayWaits'; bytes: number }
  /** The server refused something that was to go to a device through it. */
  | { do: 'refused'; device: DeviceId; why: ErrorCode }
  /** A data channel, open or opening. Its number is the link's key. */
  | { do: 'channel'; device: DeviceId; key: string; channel: RTCDataChannel }
  /** A data channel that cannot leave the page: a port that stands for it. */
  | { do: 'port'; device: DeviceId; key: string; port: MessagePort }
  /** How much the peer takes in one message. */
  | { do: 'maxMessage'; device: DeviceId; key: string; bytes: number }
  /** This device has a file. */
  | { do: 'offer'; id: ItemId; file: Blob }
  /** Receive a file. */
  | { do: 'receive'; file: IncomingFile; picked: FileSystemFileHandle | null }
  | { do: 'cancel'; id: ItemId; device: DeviceId | null }
  /** An item is gone, or its beam was left: nothing of it comes, goes or stays. */
  | { do: 'forget'; id: ItemId }

export interface IncomingFile {
  readonly id: ItemId
  readonly from: DeviceId
  readonly size: number
  readonly type: string
}

/** How far one transfer with one device is. */
export type Progress =
  | { status: 'queued'; bytes: number }
  | { status: 'moving'; bytes: number; bytesPerSecond: number; kind: 'direct' | 'relay' }
  | { status: 'parked'; bytes: number }
  /** `kind`: the way that the last of it took. */
  | { status: 'done'; file: Blob | null; kind: 'direct' | 'relay' }
  | { status: 'cancelled'; by: 'me' | 'them' }
  | { status: 'failed'; bytes: number; why: string }

export type EngineEvent =
  | { say: 'receiving'; id: ItemId; progress: Progress }
  | { say: 'sending'; id: ItemId; device: DeviceId; progress: Progress }
  /** A direct link opened or closed; `opened` is false also when it never did. */
  | { say: 'link'; device: DeviceId; key: string; opened: boolean }
  /** Nothing came on a direct link for too long. */
  | { say: 'stalled'; device: DeviceId; key: string }
  /** A frame to go through the server. */
  | { say: 'relay'; to: DeviceId; frame: ArrayBuffer }
  /** How many bytes has the websocket not sent yet? */
  | { say: 'askRelay' }
  /** The disk does not take files: they are kept in memory now. */
  | { say: 'memoryOnly' }
