/** The data of a response, and the response itself. */
export interface Received<Data> {
  readonly data: Data
  /** Status and headers; its body has been read. */
  readonly response: Response
  /** `X-Request-Id` of the response. */
  readonly requestId: string | undefined
}

/** The promise of a response's data. */
export class Answer<Data> extends Promise<Data> {
  /** `then` gives plain promises. */
  static override get [Symbol.species]() {
    return Promise
  }

  readonly #received: Promise<Received<Data>>

  constructor(received: Promise<Received<Data>>) {
    super((resolve, reject) => {
      received.then(({ data }) => resolve(data), reject)
    })
    this.#received = received
  }

  /** The data with the response that it came in. */
  withResponse(): Promise<Received<Data>> {
    return this.#received
  }
}
