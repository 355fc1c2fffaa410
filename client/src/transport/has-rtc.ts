/** Whether this browser has WebRTC. Not in `peer-link`, so that asking does not load the library. */
export function hasRtc(): boolean {
  return 'RTCPeerConnection' in globalThis
}
