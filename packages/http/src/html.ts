import { HttpServerResponse } from "effect/http"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text as it may stand in HTML or XML, attributes included. */
export const escapeHtml = (text: string): string =>
  text
    // Neither may hold these at all, escaped or not.
    .replace(/[^\P{Cc}\t\n\r]/gu, "")
    .replace(/[&<>"']/g, (char) => entities[char] ?? char)

/** A page without scripts and without anything from another site. */
export const htmlResponse = (html: string, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(html, {
    status,
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy":
        "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer"
    }
  })
