/** The messages between the page and the engine: plain values, because the engine lives in a worker. */

import type { DeviceId, ErrorCode, ItemId, RelayUse } from '../protocol/bindings'
import type { FileSeal } from '../protocol/item'
import type { LinkKey } from '../protocol/receiver'
import type { TransferFailure } from '../protocol/transfer-failure'
import type { UnfinishedFile } from '../protocol/unfinished-file'
import type { Channels } from './channel-link'
import type { SinkFile } from './sinks/sink'

export type EngineCommand =
  /** The devices that understand frames, without this one. A device that is missing has left. */
  | { do: 'devices'; devices: readonly { id: DeviceId; rtc: boolean }[] }
  /** Devices that may no longer be in the beam (S25): nothing goes to them or comes from them until they are listed. */
  | { do: 'removed'; devices: readonly DeviceId[] }
  /** Where files go through the server (R6); null while it cannot be reached. */
  | { do: 'relay'; use: RelayUse | null }
  /** A frame that came through the server. */
  | { do: 'relayed'; from: DeviceId; frame: ArrayBuffer }
  /** The answer to `askRelay`: bytes that the websocket has not sent yet. */
  | { do: 'relayWaits'; bytes: number }
  /** The server refused a frame or a signal to a device. */
  | { do: 'refused'; device: DeviceId; why: ErrorCode }
  /** The data channels of a connection, open or opening, in a place of its bundle. `key` identifies the link. */
  | { do: 'channels'; device: DeviceId; place: number; key: string; channels: Channels }
  /** A port that stands for data channels that cannot be transferred to a worker. */
  | { do: 'port'; device: DeviceId; place: number; key: string; port: MessagePort }
  /** The connection of a link has ended. */
  | { do: 'dropChannel'; device: DeviceId; key: string }
  /** Most connections that a bundle is to have, because of the device's battery or its data plan (L6). */
  | { do: 'most'; connections: number }
  /** Whether this device may pass on what it receives (F21). */
  | { do: 'passOn'; isAllowed: boolean }
  /** The largest message that the peer accepts. */
  | { do: 'maxMessage'; device: DeviceId; key: string; bytes: number }
  /** This device offers a file. Its bytes travel sealed where it has a seal (E7). */
  | { do: 'offer'; id: ItemId; file: Blob; seal?: FileSeal | undefined }
  /** Receive a file, unless it was received before. What an earlier page has of it is not requested again. */
  | { do: 'receive'; file: IncomingFile; picked: FileSystemFileHandle | null }
  /** Find a file that was received before, or go on with one that was begun. Otherwise it is only offered. */
  | { do: 'look'; file: IncomingFile }
  /** The server has a copy of a file that comes here. */
  | { do: 'stored'; id: ItemId; url: string }
  | { do: 'cancel'; id: ItemId; device: DeviceId | null }
  /** The person pauses a transfer, or goes on with it (F18). `device` as for `cancel`: null for all, and for what comes here. */
  | { do: 'pause' | 'resume'; id: ItemId; device: DeviceId | null }
  /** Asks for the files of which a part is on the disk. */
  | { do: 'list' }
  /** An item is gone: its transfers end and its bytes are removed. */
  | { do: 'forget'; id: ItemId }
  /** The beam of an item was left: its transfers end, and what was received of it stays on the disk. */
  | { do: 'leave'; id: ItemId }

export interface IncomingFile extends SinkFile {
  readonly from: DeviceId
  /** The bytes at its start that are reported by themselves, as soon as they are there; absent for none. */
  readonly head?: number | undefined
  /** Whether it is for this device alone (S33), so that no other learns of it. */
  readonly isPrivate?: boolean
  /** The address of the copy that the server has (F9); absent when it has none. */
  readonly url?: string | undefined
  /** What opens its chunks (E7); absent when they come in clear. */
  readonly seal?: FileSeal | undefined
}

/** The links that carry a transfer: direct ones by their keys, and the server's relay. */
export interface Carrying {
  readonly links: readonly LinkKey[]
  readonly server: boolean
  /** Whether it comes from the server's stored copy. */
  readonly stored?: boolean
}

/** Progress of one transfer with one device. `twice`: bytes that went more than once. */
export type Progress =
  | { status: 'queued'; bytes: number }
  | { status: 'moving'; bytes: number; bytesPerSecond: number; twice: number; via: Carrying }
  /** `needsDirect`: the device is here, but no direct link to it opens, and the server forwards nothing. */
  | { status: 'parked'; bytes: number; needsDirect?: boolean }
  /** A person paused it, here or at the other device (F18). */
  | { status: 'paused'; bytes: number; by: 'me' | 'them' }
  /** `via`: the way of the last chunks; null when it was received before. `isKept`: a received file outlives the page. */
  | { status: 'done'; file: Blob | null; twice: number; via: Carrying | null; isKept?: boolean }
  /** It was not received before, and nobody has asked for it. */
  | { status: 'offered' }
  | { status: 'cancelled'; by: 'me' | 'them' }
  | { status: 'failed'; bytes: number; why: TransferFailure }

export type EngineEvent =
  | { say: 'receiving'; id: ItemId; progress: Progress }
  /** The answer to `list`. */
  | { say: 'unfinished'; files: readonly UnfinishedFile[] }
  /** The start of a file that is being received. */
  | { say: 'head'; id: ItemId; bytes: Uint8Array }
  | { say: 'sending'; id: ItemId; device: DeviceId; progress: Progress }
  /** A device wants a file that is not here, as after a reload (F17). */
  | { say: 'missed'; id: ItemId; device: DeviceId }
  /** A direct link opened or closed; `opened` is also false when it never opened. */
  | { say: 'link'; device: DeviceId; key: string; opened: boolean }
  /** How many direct links a device is to have for what comes from it. */
  | { say: 'bundle'; device: DeviceId; size: number }
  /** Nothing arrived on a direct link for too long. */
  | { say: 'stalled'; device: DeviceId; key: string }
  /** A frame to send through the server. */
  | { say: 'relay'; to: DeviceId; frame: ArrayBuffer }
  /** Asks how many bytes the websocket has not sent yet. */
  | { say: 'askRelay' }
  /** The disk accepts no files: from now on they are kept in memory. */
  | { say: 'memoryOnly' }
