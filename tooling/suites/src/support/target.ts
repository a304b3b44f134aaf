import { afterAll, describe, expect, test } from "vitest"
import type { Contract } from "./contract.ts"
import type { Answer, Call } from "./http.ts"

/** A start document, written out as an integrator would; the service is to judge it, not the compiler. */
export type StartDocument = Readonly<Record<string, unknown>>

/** A service that runs with a document in it. */
export interface Running {
  readonly baseUrl: string
  /** Where links in bodies point (W12). */
  readonly publicUrl: string
  /** Of the server there is none. */
  readonly controlUrl: string | null
  /** By e-mail. */
  readonly tokens: Readonly<Record<string, string>>
  /** A request below the base URL. */
  fetch(path: string, init?: Call): Promise<Answer>
  /** What a request of a user who is signed in carries. */
  credentials(email: string): Promise<Call>
  close(): Promise<void>
}

/** Something that the suites run against. */
export interface Target {
  readonly name: string
  /** By which it calls receivers on loopback. */
  readonly receiverScheme: "http" | "https"
  start(document: StartDocument): Promise<Running>
  /** What every answer so far was held against. */
  contract(): Promise<Contract>
  /** Ends the processes. */
  stop(): Promise<void>
}

/**
 * A suite of a target. Every answer that its tests saw is held against the OpenAPI documents. The target ends with the
 * test file, which may run several suites on it.
 */
export const blackbox = (target: Target, title: string, register: () => void): void => {
  afterAll(() => target.stop())
  describe(`${title}, ${target.name}`, () => {
    register()
    test("OpenAPI, R3: every answer seen above is as the published documents say, and has an X-Request-Id", async () => {
      const violations = [...(await target.contract()).takeViolations()]
      const examples = violations.slice(0, 5).map(([, exchange]) => exchange)
      expect(
        violations.map(([problem]) => problem),
        examples.join("\n\n")
      ).toEqual([])
    })
  })
}

/** The answer's body, once its status is the expected one; else a failure that shows the whole exchange. */
export const bodyOf = <T = unknown>(answer: Answer, status = 200): T => {
  expect(answer.status, String(answer)).toBe(status)
  return answer.as<T>()
}

/** Holds an answer against v2's error shape: `{error: string}` and nothing else (R2). Answers the text. */
export const refusalV2 = (answer: Answer, status: number): string => {
  const body = bodyOf<Record<string, unknown>>(answer, status)
  expect(Object.keys(body), String(answer)).toEqual(["error"])
  expect(body.error, String(answer)).toEqual(expect.stringMatching(/\S/))
  return String(body.error)
}

/** Holds an answer against v1's error shape: `{error: {message, code}}`, the code being the status (R2). */
export const refusalV1 = (answer: Answer, status: number): string => {
  const body = bodyOf<{ error: Record<string, unknown> }>(answer, status)
  expect(Object.keys(body), String(answer)).toEqual(["error"])
  expect(body.error, String(answer)).toEqual({ message: expect.stringMatching(/\S/), code: status })
  return String(body.error.message)
}

export const keysOf = (value: object): Array<string> => Object.keys(value).toSorted()
