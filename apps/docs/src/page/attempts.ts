import type { Attempt } from "@tapedeck/emulator/browser"
import { make } from "./dom.ts"
import { durationText } from "./times.ts"

const reason = (attempt: Attempt): string => {
  if (attempt.outcome === null) return "waits for the answer"
  if (attempt.status_code !== null) return `${attempt.status_code}, ${attempt.outcome}`
  return attempt.outcome
}

/** The result of an attempt in words. */
export const resultText = (attempt: Attempt): string =>
  `Attempt ${attempt.attempt}, ${durationText(attempt.elapsed_ms)} after the first: ${reason(attempt)}.`

const formatted = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const isSignature = (name: string): boolean => name.endsWith("signature")

/** A message as HTTP shows it, with its signatures marked. */
const message = (first: string, headers: Readonly<Record<string, string>>, body: string): HTMLPreElement => {
  const lines = Object.entries(headers).flatMap(([name, value]) => {
    const line = `${name}: ${value}`
    return ["\n", isSignature(name.toLowerCase()) ? make("mark", {}, line) : line]
  })
  return make("pre", {}, first, ...lines, body === "" ? "" : `\n\n${formatted(body)}`)
}

const section = (name: string, content: Node | string): HTMLElement =>
  make("div", {}, make("p", { className: "name" }, name), content)

const detailOf = ({ error, request, response, status_code }: Attempt): HTMLElement =>
  make(
    "div",
    { className: "detail" },
    section("Request", message(`${request.method} ${request.url}`, request.headers, request.body)),
    response === null
      ? section("Answer", make("p", {}, error ?? "None yet."))
      : section("Answer", message(String(status_code), response.headers, response.body))
  )

/** An attempt that opens to its request and its answer. */
export const attemptItem = (attempt: Attempt): HTMLLIElement =>
  make(
    "li",
    {},
    make(
      "details",
      {},
      make(
        "summary",
        {},
        make("span", { className: "name" }, `Attempt ${attempt.attempt}`),
        make("span", { className: "number" }, durationText(attempt.elapsed_ms)),
        make("span", { className: attempt.outcome === "success" ? "success" : "failed" }, reason(attempt))
      ),
      detailOf(attempt)
    )
  )

/** The attempt that is due next. */
export const pendingItem = (number: number, elapsedMs: number): HTMLLIElement =>
  make(
    "li",
    { className: "pending" },
    make("span", {}, `Attempt ${number}`),
    make("span", { className: "number" }, durationText(elapsedMs)),
    make("span", {}, "pending")
  )
