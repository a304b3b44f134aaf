/** A body that a request can send. */
export type TusBody = Blob | Uint8Array

/** Sends a request of the protocol. Returns the headers of a 2xx response, and fails with any other. */
export type SendTus = (
  method: "DELETE" | "HEAD" | "PATCH" | "POST",
  path: string,
  request: { readonly headers: Readonly<Record<string, string>>; readonly body?: TusBody }
) => Promise<Headers>

/** The upload's offset; undefined if the response has no valid one. */
export type TusOffset = number | undefined

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const offsetIn = (headers: Headers): TusOffset => {
  const text = headers.get("upload-offset") ?? ""
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The requests of the tus protocol 1.0. They know neither where the bytes come from nor when a request is repeated. */
export interface TusRequests {
  /** Creates an upload. Returns its address; null if the response has none. `sizeBytes`: null to declare the size later. */
  readonly create: (
    path: string,
    metadata: Readonly<Record<string, string>>,
    sizeBytes: number | null
  ) => Promise<{ readonly location: string | null; readonly offset: TusOffset }>
  readonly offset: (path: string) => Promise<TusOffset>
  /** Appends bytes at `offset`. Returns the offset after them. `sizeBytes` declares the size of an upload without one. */
  readonly append: (path: string, offset: number, body: TusBody, sizeBytes?: number | null) => Promise<TusOffset>
  readonly remove: (path: string) => Promise<unknown>
}

export const tusRequests = (send: SendTus): TusRequests => {
  const ask = (
    method: Parameters<SendTus>[0],
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: TusBody
  ) => send(method, path, { headers: { "tus-resumable": "1.0.0", ...headers }, ...(body && { body }) })
  return {
    create: async (path, metadata, sizeBytes) => {
      const headers = await ask("POST", path, {
        [sizeBytes === null ? "upload-defer-length" : "upload-length"]: String(sizeBytes ?? 1),
        "upload-metadata": String(Object.entries(metadata).map(([name, value]) => `${name} ${base64(value)}`))
      })
      return { location: headers.get("location"), offset: offsetIn(headers) }
    },
    offset: async (path) => offsetIn(await ask("HEAD", path)),
    append: async (path, offset, body, sizeBytes = null) => {
      const headers = {
        "content-type": "application/offset+octet-stream",
        "upload-offset": String(offset),
        ...(sizeBytes !== null && { "upload-length": String(sizeBytes) })
      }
      return offsetIn(await ask("PATCH", path, headers, body))
    },
    remove: (path) => ask("DELETE", path)
  }
}
