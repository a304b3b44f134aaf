import type { HttpServerRequest } from "effect/http"

/** Returns whether the console made a request. Its pages name themselves in `Referer`. */
export const isOfConsole = ({ headers: { referer } }: HttpServerRequest.HttpServerRequest): boolean =>
  referer !== undefined && /\/_emulator\/ui(?:\/|$)/.test(URL.parse(referer)?.pathname ?? "")
