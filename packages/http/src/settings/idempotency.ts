import { BadRequest, settings } from "@tapedeck/contract"
import { type Done, IdempotencyKeys, type Answer as KeyedAnswer } from "@tapedeck/core"
import { Context, Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { type ContractGroup, contractEndpoints, type Declarations, type Wrap } from "../contractEndpoints.ts"
import { keyIn, maxKeyLength, replayedHeader } from "../pipeline/idempotencyKey.ts"
import { apiErrorOf, type Refusal } from "../pipeline/refusals.ts"
import { RequestBody } from "../pipeline/requestBody.ts"
import { splitTarget } from "../pipeline/target.ts"
import { errorResponse } from "../responses.ts"
import type { Services } from "../routes.ts"

type Response = HttpServerResponse.HttpServerResponse

const malformedKey = new BadRequest({
  message: `Idempotency-Key must have 1 to ${maxKeyLength} visible ASCII characters, with or without double quotes around them`
})

/** Work that a handler leaves for after the commit; null if no transaction is around it. */
const FollowUp = Context.Reference<{ final: Effect.Effect<Response> | null } | null>(
  "@tapedeck/http/settings/FollowUp",
  { defaultValue: () => null }
)

/**
 * Answers `final`, which does what is not the store's. With an `Idempotency-Key` it runs after the commit, and `first` is
 * kept until then.
 */
export const afterCommit = (first: Response, final: Effect.Effect<Response>): Effect.Effect<Response> =>
  Effect.withFiber((fiber) => {
    const followUp = Context.get(fiber.context, FollowUp)
    if (followUp === null) return final
    followUp.final = final
    return Effect.succeed(first)
  })

/** Returns the response with its body read, if the body is a stream. */
const whole = (response: Response): Effect.Effect<Response> => {
  const { body, headers, status } = response
  if (body._tag !== "Stream") return Effect.succeed(response)
  const { contentType } = body
  return Effect.map(Stream.mkUint8Array(Stream.orDie(body.stream)), (bytes) =>
    HttpServerResponse.uint8Array(bytes, { status, headers, contentType })
  )
}

/** A stored response, without what the request pipeline adds (date, request id). */
const keptForm = ({ body, headers, status }: Response): KeyedAnswer => {
  if (body._tag === "Empty") return { status, headers: { ...headers }, body: "" }
  if (body._tag !== "Uint8Array") throw new Error(`a response with a body of kind ${body._tag} cannot be stored`)
  const stored = Object.entries(headers).filter(([name]) => name !== "content-length")
  const type = ["content-type", body.contentType] as const
  return {
    status,
    headers: Object.fromEntries([...stored, type]),
    body: body.text ?? Buffer.from(body.body).toString("utf8")
  }
}

const responseOf = ({ body, headers, status }: KeyedAnswer): Response =>
  body === ""
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] ?? "application/json" })

/** Stores 404 and 409: the record or its state caused them. Other refusals are caused by the request, and are not stored. */
const keptRefusal = (refusal: Refusal): KeyedAnswer | undefined => {
  if (refusal._tag === "KeyInFlight") return undefined
  const error = apiErrorOf(refusal)
  return error._tag === "NotFound" || error._tag === "Conflict" ? keptForm(errorResponse("v2", error)) : undefined
}

/** The handler's answer, in a transaction around it. */
const inTransaction = <E, R>(next: Effect.Effect<Response, E, R>): Effect.Effect<Done<never>, E, R> =>
  Effect.suspend(() => {
    const followUp: { final: Effect.Effect<Response> | null } = { final: null }
    const answered = Effect.flatMap(Effect.provideService(next, FollowUp, followUp), whole)
    return Effect.map(answered, (response) => ({
      answer: keptForm(response),
      followUp: followUp.final && Effect.map(followUp.final, keptForm)
    }))
  })

/** Runs a request with an `Idempotency-Key` once, and returns the stored response to a repetition. */
const idempotent: Wrap = (operation, { caller, request: { headers, url } }, next) =>
  Effect.withFiber(({ context }) => {
    const header = headers["idempotency-key"]
    if (header === undefined) return next
    const key = keyIn(header)
    if (key === undefined) return Effect.fail(malformedKey)
    const { answer } = Context.getUnsafe(context, IdempotencyKeys)
    const body = Context.get(context, RequestBody) ?? new Uint8Array()
    const request = { caller, operation: operation.id, key, path: splitTarget(url).path, body }
    return Effect.map(
      answer<Refusal, Services>(request, { run: inTransaction(next), refusal: keptRefusal }),
      (given) => {
        const response = responseOf(given.answer)
        return given.isReplayed ? HttpServerResponse.setHeader(response, replayedHeader, "true") : response
      }
    )
  })

/** Endpoints of a group of the settings API; those that its contract lets be repeated take an `Idempotency-Key`. */
export const settingsEndpointsOf = <const Endpoints extends ContractGroup>(
  group: { readonly endpoints: Endpoints },
  declarations: Declarations<Endpoints>
) =>
  contractEndpoints(group, declarations, ({ middlewares }) =>
    middlewares.has(settings.IdempotentPost) ? idempotent : undefined
  )
