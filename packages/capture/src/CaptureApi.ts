import { type LogTarget, PageApi, type SiteDetails, UnavailableError } from "./PageApi.ts"

/** What a source of a capture link may be. */
export type SourceRule = "off" | "optional" | "required"

/** What a capture link shows to the customer: `GET /links/{token}`. */
export interface LinkView {
  readonly title: string | null
  readonly message: string | null
  readonly account_name: string
  readonly requested_by: string | null
  /** An e-mail address that is given at the end is ignored. */
  readonly has_customer: boolean
  readonly sources: Readonly<Record<"screen" | "microphone" | "camera" | "logs", SourceRule>>
  readonly max_duration_seconds: number
  readonly redirect_url: string | null
}

/** A capture that has begun. Addresses are paths from `/`. */
export interface Begun {
  readonly id: string
  readonly recording_uuid: string
  readonly capture_token: string
  readonly video_url: string
  readonly logs_url: string
  readonly finish_url: string
  readonly max_duration_seconds: number
  readonly expires_at: string
}

/** What a person may add at the end. */
export interface Finish {
  readonly title?: string
  readonly customer?: { readonly email: string }
  readonly note?: string
}

/** How a capture has ended. `abandoning` and `abandoned`: by the server, with what had arrived. */
export interface Finished {
  readonly state: "finishing" | "finished" | "abandoning" | "abandoned"
}

/** Calls of the capture API. */
export class CaptureApi extends PageApi {
  readonly link = (token: string): Promise<LinkView> => this.json("GET", `${this.base}/api/capture/links/${token}`)

  /** A repeat with the same key answers the same capture. */
  readonly begin = (token: string, key: string): Promise<Begun> => this.#begin(`links/${token}`, {}, key)

  readonly beginBySite = (siteKey: string, details: SiteDetails, key: string): Promise<Begun> =>
    this.#begin(`sites/${siteKey}`, details, key)

  async #begin(entrance: string, input: object, key: string): Promise<Begun> {
    const response = await this.request("POST", `${this.base}/api/capture/${entrance}/captures`, {
      headers: { "content-type": "application/json", "idempotency-key": key },
      body: JSON.stringify(input)
    })
    return (await response.json()) as Begun
  }

  /** A code for one page, valid for 60 s. */
  readonly pairingCode = async ({ capture_token: token, logs_url }: LogTarget): Promise<string> => {
    const path = logs_url.replace(/\/logs$/, "/pairing")
    return (await this.json<{ readonly code: string }>("POST", path, { token })).code
  }

  /** A repeat answers the same, also where the server ended the capture. */
  readonly finish = ({ capture_token, finish_url }: Begun, fields: Finish): Promise<Finished> =>
    this.json("POST", finish_url, { token: capture_token, body: JSON.stringify(fields) })

  readonly discard = async ({ capture_token, finish_url }: Begun): Promise<void> => {
    const path = finish_url.replace(/\/finish$/, "")
    await this.request("DELETE", path, { headers: { authorization: `Capture ${capture_token}` } })
  }

  protected override failure(response: Response, text: string): Error {
    const error = super.failure(response, messageOf(text) ?? `status ${response.status}`)
    const seconds = Number(response.headers.get("retry-after") ?? "")
    return error instanceof UnavailableError && seconds > 0
      ? new UnavailableError(error.message, error.status, seconds * 1_000)
      : error
  }
}

const messageOf = (text: string): string | undefined => {
  try {
    const { error, message } = JSON.parse(text) as { readonly error?: unknown; readonly message?: unknown }
    return [message, error].find((one): one is string => typeof one === "string")
  } catch {
    return undefined
  }
}
