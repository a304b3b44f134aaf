import type { settings } from "@tapedeck/contract"
import {
  type Caller,
  type InputInvalid,
  type InputMalformed,
  type NotFound,
  now,
  type SentTest,
  type SettingsInput,
  type StateConflict,
  Statistics,
  type Unauthenticated
} from "@tapedeck/core"
import type { Instant, SigningSecrets } from "@tapedeck/domain"
import type { CountedReceiver, ReceiverHealth } from "@tapedeck/domain/internal"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { objectBody, optionalObjectBody } from "../jsonBody.ts"
import { secretJson } from "../responses.ts"
import { wireTest } from "./wire/delivery.ts"
import { wireSecret } from "./wire/webhook.ts"

/** What core does with automations and with audit destinations alike. */
interface Webhooks<Webhook> {
  readonly get: (caller: Caller, id: string) => Effect.Effect<Webhook, NotFound>
  readonly create: (
    caller: Caller,
    input: SettingsInput
  ) => Effect.Effect<Webhook, InputMalformed | InputInvalid | Unauthenticated>
  readonly update: (
    caller: Caller,
    id: string,
    input: SettingsInput
  ) => Effect.Effect<Webhook, InputMalformed | NotFound | InputInvalid | Unauthenticated>
  readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  readonly viewSecret: (caller: Caller, id: string) => Effect.Effect<Webhook, NotFound | Unauthenticated>
  readonly rotateSecret: (
    caller: Caller,
    id: string,
    input: SettingsInput
  ) => Effect.Effect<Webhook, InputMalformed | NotFound | StateConflict | InputInvalid | Unauthenticated>
  readonly test: (caller: Caller, id: string) => Effect.Effect<SentTest, NotFound | Unauthenticated>
}

interface Called {
  readonly caller: Caller
}

interface Sent extends Called {
  readonly request: HttpServerRequest.HttpServerRequest
}

interface OfOne extends Called {
  readonly params: { readonly id: string }
}

type Wire = settings.Automation | settings.AuditDestination

/** The handlers that automations and audit destinations have in common; `wire` writes one, its secrets masked. */
export const webhookHandlers = <Webhook extends SigningSecrets & { readonly id: string }, Body extends Wire, Service>(
  service: Effect.Effect<Webhooks<Webhook>, never, Service>,
  receiverOf: (id: string) => CountedReceiver,
  wire: (webhook: Webhook, at: Instant, health: ReceiverHealth | undefined) => Body
) => {
  const shown = Effect.fnUntraced(function* <E, R>(caller: Caller, webhook: Effect.Effect<Webhook, E, R>) {
    const { health } = yield* Statistics
    const one = yield* webhook
    const receiver = receiverOf(one.id)
    return wire(one, yield* now, (yield* health(caller, receiver)).get(receiver))
  })
  return {
    create: Effect.fnUntraced(function* ({ caller, request }: Sent) {
      const { create } = yield* service
      const input = yield* objectBody(request)
      return yield* shown(caller, create(caller, input))
    }),
    read: Effect.fnUntraced(function* ({ caller, params }: OfOne) {
      const { get } = yield* service
      return yield* shown(caller, get(caller, params.id))
    }),
    update: Effect.fnUntraced(function* ({ caller, params, request }: OfOne & Sent) {
      const { update } = yield* service
      const input = yield* objectBody(request)
      return yield* shown(caller, update(caller, params.id, input))
    }),
    remove: Effect.fnUntraced(function* ({ caller, params }: OfOne) {
      const { remove } = yield* service
      return yield* remove(caller, params.id)
    }),
    viewSecret: Effect.fnUntraced(function* ({ caller, params }: OfOne) {
      const { viewSecret } = yield* service
      const webhook = yield* viewSecret(caller, params.id)
      return secretJson(wireSecret(webhook, yield* now))
    }),
    rotateSecret: Effect.fnUntraced(function* ({ caller, params, request }: OfOne & Sent) {
      const { rotateSecret } = yield* service
      const input = yield* optionalObjectBody(request)
      return yield* shown(caller, rotateSecret(caller, params.id, input))
    }),
    test: Effect.fnUntraced(function* ({ caller, params }: OfOne) {
      const { test } = yield* service
      return wireTest(yield* test(caller, params.id))
    })
  }
}
