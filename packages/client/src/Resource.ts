import { Answer } from "./Answer.ts"
import type { Details } from "./Call.ts"
import { type Download, downloadOf } from "./Download.ts"
import type { ContentType, RequestOptions } from "./options.ts"
import { Pages, pageQuery } from "./pages.ts"
import { queryText, type Transport } from "./Transport.ts"

/** A path with its parameters encoded. */
export const path = (parts: TemplateStringsArray, ...values: ReadonlyArray<string>): string =>
  parts.reduce((text, part, index) => text + encodeURIComponent(values[index - 1] ?? "") + part)

type Options = (RequestOptions & ContentType<string>) | undefined

/** The operations of one kind of thing, below the root of an API. */
export class Resource {
  readonly #transport: Transport
  readonly #root: string

  constructor(transport: Transport, root: string) {
    this.#transport = transport
    this.#root = root
  }

  protected call<Data>(method: string, below: string, details: Details, options: Options): Answer<Data> {
    return new Answer(this.#transport.json<Data>({ ...details, method, path: this.#root + below }, options))
  }

  protected pages<Body, Item>(below: string, query: object | undefined, options: Options): Pages<Body, Item> {
    return new Pages<Body, Item>((page) =>
      this.#transport.json(
        { method: "GET", path: this.#root + below, query: { ...query, ...pageQuery(page) } },
        options
      )
    )
  }

  protected file(below: string, options: Options, query?: object): Answer<Download> {
    return new Answer(downloadOf(this.#transport, this.#root + below + queryText(query), options))
  }
}
