import type { PageMessage, WorkerMessage } from "./messages.ts"

/** Answers a request of the service worker to its port. */
export const relay = async (port: MessagePort, answer: () => Promise<Response>): Promise<void> => {
  const send = (message: PageMessage, transfer: Array<Transferable> = []) => port.postMessage(message, transfer)
  // The service worker waits for a page only until one has taken the request: an answer may be slow.
  send({ kind: "taken" })
  try {
    const { body, headers, status } = await answer()
    if (body !== null) sendChunks(port, body.getReader(), send)
    send({ kind: "head", status, headers: [...headers], hasBody: body !== null })
  } catch {
    // A fault of the world, such as a reset connection.
    send({ kind: "failed" })
  }
}

/** Sends one chunk for each message `pull`, so that what the console does not read waits in the world. */
const sendChunks = (
  port: MessagePort,
  reader: ReadableStreamDefaultReader<Uint8Array>,
  send: (message: PageMessage, transfer?: Array<Transferable>) => void
): void => {
  port.onmessage = async ({ data }: MessageEvent<WorkerMessage>) => {
    try {
      if (data === "cancel") return await reader.cancel()
      const { value } = await reader.read()
      if (value === undefined) return send({ kind: "end" })
      // A copy: the chunk may be a part of a larger buffer.
      const chunk = value.slice()
      send({ kind: "chunk", chunk }, [chunk.buffer])
    } catch {
      send({ kind: "failed" })
    }
  }
}
