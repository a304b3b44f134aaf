import { now } from "../clock.ts"
import { nativeOf, quietly } from "../intrinsics.ts"
import { cutBody, maxBody, type NetworkPart, requestEvent } from "./network.ts"
import { listen } from "./patches.ts"
import type { Recording } from "./recording.ts"

/**
 * Records WebSockets when they open or fail, and again when they close, with the frames in between. Text frames are kept as bodies.
 */
export const recordWebSockets = (recording: Recording) => {
  const { WebSocket } = window
  const sentBy = new WeakMap<object, (data: unknown) => void>()
  recording.patches.method(WebSocket.prototype, "send", ([data], proceed, self) => {
    const result = proceed()
    quietly(() => sentBy.get(self as object)?.(data))
    return result
  })
  recording.patches.constructorOf(window, "WebSocket", (_, proceed) => {
    const socket = proceed() as WebSocket
    quietly(() => sentBy.set(socket, watch(recording, socket, nativeOf(WebSocket, socket, "url") as string)))
    return socket
  })
}

/** Watches a socket. Returns a function for the data that is sent. */
const watch = ({ add, keepsBody }: Recording, socket: WebSocket, url: string): ((data: unknown) => void) => {
  const at = now()
  const event = requestEvent("websocket", "GET", url)
  const keeps = keepsBody(event.url)
  const frames = { sent: "", received: "", size: 0 }
  let isOpen = false
  const log = (part: Partial<NetworkPart>) =>
    add({ ...event, status: isOpen ? 101 : 0, duration_ms: Math.round(now() - at), ...part }, at)
  const take = (way: "sent" | "received", data: unknown) => {
    if (keeps && typeof data === "string" && frames[way].length < maxBody) frames[way] += `${cutBody(data)}\n`
  }
  listen(socket, "open", () => {
    isOpen = true
    log({})
  })
  listen(socket, "message", ({ data }: MessageEvent) => {
    frames.size += typeof data === "string" ? data.length : (data?.byteLength ?? data?.size ?? 0)
    take("received", data)
  })
  listen(socket, "close", ({ code, reason, wasClean }: CloseEvent) =>
    log({
      size_bytes: frames.size,
      ...(frames.sent !== "" && { request_body: cutBody(frames.sent) }),
      ...(frames.received !== "" && { response_body: cutBody(frames.received) }),
      ...(!wasClean && { error: `${code} ${reason}`.trim() })
    })
  )
  return (data) => take("sent", data)
}
