/** Result of a call: the data of the response, and the response itself. */
export interface Sent<Data> {
  readonly data: Data
  /** Status and headers; its body has been read. */
  readonly response: Response
}

/** The data of a response, and the response itself. */
export interface Received<Data> extends Sent<Data> {
  /** `X-Request-Id` of the response. */
  readonly requestId: string | undefined
}

/** The promise of a response's data. */
export class Answer<Data> extends Promise<Data> {
  /** `then` gives plain promises. */
  static override get [Symbol.species]() {
    return Promise
  }

  readonly #sent: Promise<Sent<Data>>

  constructor(sent: Promise<Sent<Data>>) {
    super((resolve, reject) => {
      sent.then(({ data }) => resolve(data), reject)
    })
    this.#sent = sent
  }

  /** The data with the response that it came in. */
  async withResponse(): Promise<Received<Data>> {
    const { data, response } = await this.#sent
    return { data, response, requestId: response.headers.get("x-request-id") ?? undefined }
  }
}
