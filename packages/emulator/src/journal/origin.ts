import type { HttpServerRequest } from "effect/http"

/** Whether a request is made by the console, whose pages name themselves in `Referer`. */
export const isOfConsole = ({ headers: { referer } }: HttpServerRequest.HttpServerRequest): boolean =>
  referer !== undefined && /\/_emulator\/ui(?:\/|$)/.test(URL.parse(referer)?.pathname ?? "")
