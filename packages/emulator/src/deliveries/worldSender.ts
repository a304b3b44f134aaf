import { TestSender } from "@tapedeck/core"
import {
  type Answer,
  makeTestSender,
  Sender,
  type SendOptions,
  timedOut,
  type WebhookRequest
} from "@tapedeck/dispatcher"
import { type HeaderList, Instant } from "@tapedeck/domain"
import { Effect, Layer } from "effect"
import { attemptNote } from "../journal/attempts.ts"
import { helpdeskAnswer } from "../sinks/helpdesks/index.ts"
import { nextOutcome, sinkAt } from "../sinks/Sinks.ts"
import { sinkAnswer } from "../sinks/sinkAnswer.ts"
import type { World } from "../world/World.ts"
import type { Network } from "./network.ts"

/** Sends a world's deliveries: to sinks in virtual time, to real receivers over the network, while virtual time stands still. */
export const worldSender = (world: World, network: Network): Sender["Service"] =>
  Sender.of({
    send: (request, options) => {
      const address = sinkAt(request.url)
      return address === null
        ? sendForReal(world, network, request, options)
        : Effect.sync(() => sendToSink(world, address, request, options))
    }
  })

const sendToSink = (
  world: World,
  { id, path }: { readonly id: string; readonly path: string },
  request: WebhookRequest,
  options: SendOptions
): Answer => {
  const sink = world.environment.sinks.get(id)
  if (sink === undefined) return sinkAnswer("dns", options)
  const { headers, method, text } = request
  const received = { method, path, headers, body: text }
  const scripted = nextOutcome(sink)
  const outcome =
    sink.kind === undefined ? scripted : helpdeskAnswer(sink.kind, scripted, received, sink.requests.length + 1)
  // A receiver does not see a request that did not arrive.
  const seen = outcome !== "refused" && outcome !== "dns" && outcome !== "tls"
  const requests = seen
    ? sink.requests.push({ at: Instant.make(options.startedAt), ...received, outcome })
    : sink.requests
  world.update({ sinks: new Map(world.environment.sinks).set(id, { ...sink, used: sink.used + 1, requests }) })
  return sinkAnswer(outcome, options)
}

/** Counts the request in `inFlight` while the receiver works. No response for `real_timeout_ms` is a timeout in virtual time. */
const sendForReal = (world: World, network: Network, request: WebhookRequest, { startedAt, timeoutMs }: SendOptions) =>
  Effect.suspend(() => {
    world.beginRequest()
    return network(request, world.config.real_timeout_ms)
  }).pipe(
    Effect.map((answer): Answer => {
      if (answer.outcome === "timeout")
        return { ...timedOut(timeoutMs, answer.statusCode), endsAt: Instant.make(startedAt + timeoutMs) }
      if (answer.response === null) return answer
      return { ...answer, response: { ...answer.response, headers: ownHeaders(answer.response.headers) } }
    }),
    Effect.ensuring(Effect.sync(() => world.endRequest()))
  )

/** Headers of the connection and of wall time differ between runs, and are not part of the result. */
const transport = new Set(["connection", "keep-alive", "transfer-encoding", "date"])

const ownHeaders = (headers: HeaderList): HeaderList => headers.filter(([name]) => !transport.has(name))

/** Send-tests of a world. They run at the present virtual instant, and appear in the journal as every attempt. */
export const journaledTestSender = (world: World) =>
  Layer.effect(
    TestSender,
    Effect.map(TestSender, ({ send }) =>
      TestSender.of({
        send: (delivery) =>
          Effect.suspend(() => {
            const { epoch } = world
            return Effect.map(send(delivery), (sent) => {
              // A reset or restore has replaced the state that had this receiver.
              if (epoch !== world.epoch) return null
              for (const attempt of sent?.attempts ?? []) world.note(attemptNote(sent!, attempt), attempt.at)
              return sent
            })
          })
      })
    )
  ).pipe(Layer.provide(TestSender.layer(makeTestSender)))
