import type { settings } from "@tapedeck/contract"
import {
  type Caller,
  type Conflicting,
  type Invalid,
  type Malformed,
  type NotFound,
  now,
  type SentTest,
  type SettingsInput
} from "@tapedeck/core"
import type { Instant, SigningSecrets } from "@tapedeck/domain"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { CurrentCaller } from "../CurrentCaller.ts"
import { secretJson } from "../responses.ts"
import { objectBody, optionalObjectBody } from "./body.ts"
import { refused } from "./refusals.ts"
import { wireTest } from "./wire/delivery.ts"
import { wireSecret } from "./wire/webhook.ts"

/** What core does with automations and with audit destinations alike. */
interface Webhooks<Webhook> {
  readonly get: (caller: Caller, id: string) => Effect.Effect<Webhook, NotFound>
  readonly create: (caller: Caller, input: SettingsInput) => Effect.Effect<Webhook, Malformed | Invalid>
  readonly update: (
    caller: Caller,
    id: string,
    input: SettingsInput
  ) => Effect.Effect<Webhook, Malformed | NotFound | Invalid>
  readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound>
  readonly viewSecret: (caller: Caller, id: string) => Effect.Effect<Webhook, NotFound>
  readonly rotateSecret: (
    caller: Caller,
    id: string,
    input: SettingsInput
  ) => Effect.Effect<Webhook, Malformed | NotFound | Conflicting | Invalid>
  readonly test: (caller: Caller, id: string) => Effect.Effect<SentTest, NotFound>
}

interface Sent {
  readonly request: HttpServerRequest.HttpServerRequest
}

interface OfOne {
  readonly params: { readonly id: string }
}

type Wire = settings.Automation | settings.AuditDestination

/** The handlers that automations and audit destinations have in common; `wire` writes one, its secrets masked. */
export const webhookHandlers = <Webhook extends SigningSecrets, Body extends Wire, Service>(
  service: Effect.Effect<Webhooks<Webhook>, never, Service>,
  wire: (webhook: Webhook, at: Instant) => Body
) => {
  const shown = <E, R>(webhook: Effect.Effect<Webhook, E, R>) => Effect.zipWith(webhook, now, wire)
  return {
    create: Effect.fnUntraced(function* ({ request }: Sent) {
      const { create } = yield* service
      const input = yield* objectBody(request)
      return yield* shown(Effect.mapError(create(yield* CurrentCaller, input), refused))
    }),
    read: Effect.fnUntraced(function* ({ params }: OfOne) {
      const { get } = yield* service
      return yield* shown(Effect.mapError(get(yield* CurrentCaller, params.id), refused))
    }),
    update: Effect.fnUntraced(function* ({ params, request }: OfOne & Sent) {
      const { update } = yield* service
      const input = yield* objectBody(request)
      return yield* shown(Effect.mapError(update(yield* CurrentCaller, params.id, input), refused))
    }),
    remove: Effect.fnUntraced(function* ({ params }: OfOne) {
      const { remove } = yield* service
      return yield* Effect.mapError(remove(yield* CurrentCaller, params.id), refused)
    }),
    viewSecret: Effect.fnUntraced(function* ({ params }: OfOne) {
      const { viewSecret } = yield* service
      const webhook = yield* Effect.mapError(viewSecret(yield* CurrentCaller, params.id), refused)
      return secretJson(wireSecret(webhook, yield* now))
    }),
    rotateSecret: Effect.fnUntraced(function* ({ params, request }: OfOne & Sent) {
      const { rotateSecret } = yield* service
      const input = yield* optionalObjectBody(request)
      return yield* shown(Effect.mapError(rotateSecret(yield* CurrentCaller, params.id, input), refused))
    }),
    test: Effect.fnUntraced(function* ({ params }: OfOne) {
      const { test } = yield* service
      return wireTest(yield* Effect.mapError(test(yield* CurrentCaller, params.id), refused))
    })
  }
}
