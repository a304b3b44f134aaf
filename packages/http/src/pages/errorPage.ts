import { type ApiError, errorHeaders, errorStatus } from "@tapedeck/contract"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { escapeHtml, htmlResponse } from "./html.ts"
import { plainPage } from "./publicPage/page.ts"

const titles: Readonly<Record<number, string>> = { 404: "Page not found", 405: "Page not found" }

const acceptsHtml = ({ headers: { accept = "" } }: HttpServerRequest.HttpServerRequest): boolean =>
  accept.split(",").some((range) => range.split(";", 1)[0]?.trim().toLowerCase() === "text/html")

/** The error as a page, for a browser; undefined for every other client. */
export const errorPage = (
  error: ApiError,
  request: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse | undefined => {
  if (!acceptsHtml(request)) return undefined
  const status = errorStatus(error)
  const text = status === 404 ? "There is no page at this address." : error.message
  const page = htmlResponse(plainPage(titles[status] ?? "Something failed", `<p>${escapeHtml(text)}</p>`), status)
  return HttpServerResponse.setHeaders(page, { ...errorHeaders(error), "cache-control": "no-store", vary: "Accept" })
}
