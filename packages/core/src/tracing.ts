import { Context, Effect, Option } from "effect"

/** True if spans are exported. If false, deliveries carry no trace context, and hot paths create no spans. */
export const ExportsSpans = Context.Reference<boolean>("@tapedeck/core/ExportsSpans", { defaultValue: () => false })

/** The current span as W3C trace context (`traceparent`); undefined outside spans. */
export const traceContext: Effect.Effect<string | undefined> = Effect.map(
  Effect.option(Effect.currentParentSpan),
  Option.match({
    onNone: () => undefined,
    onSome: ({ sampled, spanId, traceId }) => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`
  })
)

/** The effect in a span, where spans are exported; else the effect as it is. */
export const stage = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) =>
    Context.get(fiber.context as Context.Context<never>, ExportsSpans)
      ? (Effect.withSpan(effect, name) as Effect.Effect<A, E, R>)
      : effect
  )
