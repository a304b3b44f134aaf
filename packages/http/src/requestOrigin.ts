import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"

/** What is beyond it is not kept. */
const maxUserAgentLength = 512

/** Where a request came from, for the audit log alone: looked up only when it is asked for. */
export class Origin {
  private readonly request: HttpServerRequest.HttpServerRequest
  constructor(request: HttpServerRequest.HttpServerRequest) {
    this.request = request
  }
  get ipAddress(): string | null {
    return Option.getOrNull(this.request.remoteAddress)
  }
  get userAgent(): string | null {
    return this.request.headers["user-agent"]?.slice(0, maxUserAgentLength) ?? null
  }
}
