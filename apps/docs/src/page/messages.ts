/** A request of a world's console, as the service worker sends it to the pages. The page that has the world answers to the port. */
export interface RelayedRequest {
  readonly world: string
  readonly method: string
  /** Path and query below the folder of the service worker. */
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: ArrayBuffer | null
}

export interface RelayedResponse {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** A stream for events, which have no end. */
  readonly body: ArrayBuffer | ReadableStream<Uint8Array> | null
}
