import { CaptureRefused, CaptureSessions } from "@tapedeck/core"
import type { CaptureToken } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import type { EndpointRequest } from "../routes.ts"

const scheme = /^capture +([\x21-\x7e]+)$/i
const maxToken = 256

/** The capture of the path, if the token of `Authorization: Capture …` opens it. */
export const captureOf = Effect.fnUntraced(function* (
  { params, request }: Pick<EndpointRequest, "params" | "request">,
  kinds: ReadonlyArray<CaptureToken["kind"]>,
  isOver = false
) {
  const { authenticate } = yield* CaptureSessions
  const token = scheme.exec(request.headers.authorization ?? "")?.[1]
  if (token === undefined || token.length > maxToken) return yield* new CaptureRefused()
  return yield* authenticate(token, params.id ?? "", { kinds, isOver })
})
