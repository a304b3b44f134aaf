/** A request of a world's console, as the service worker sends it to the pages, with a port. The page that has the world answers to it. */
export interface RelayedRequest {
  readonly world: string
  readonly method: string
  /** Path and query below the folder of the service worker. */
  readonly target: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: ArrayBuffer | null
}

/**
 * Messages of the page to the port: `taken` at once, then the head of the response, then a chunk or the end for each `pull`. A failure ends
 * them. Chunks, because Safari transfers no streams.
 */
export type PageMessage =
  | { readonly kind: "taken" }
  | {
      readonly kind: "head"
      readonly status: number
      readonly headers: ReadonlyArray<readonly [name: string, value: string]>
      readonly hasBody: boolean
    }
  | { readonly kind: "chunk"; readonly chunk: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "failed" }

/** Messages of the service worker to the port: it reads one more chunk, or none any more. */
export type WorkerMessage = "pull" | "cancel"
