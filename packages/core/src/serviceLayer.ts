import { Context, Effect, Layer } from "effect"

/** The methods of a service, as functions that require services themselves. */
type Methods<Shape, R> = {
  readonly [Name in keyof Shape]: Shape[Name] extends (...given: infer Given) => Effect.Effect<infer A, infer E>
    ? (...given: Given) => Effect.Effect<A, E, R>
    : never
}

/**
 * The layer of a service whose methods require the services `keys`. The layer takes these once, when it is built, so a caller of a method
 * provides nothing.
 */
export const serviceLayer = <Self, Shape, const Keys extends ReadonlyArray<Context.Key<unknown, unknown>>>(
  service: Context.Key<Self, Shape>,
  keys: Keys,
  methods: () => Methods<Shape, Context.Service.Identifier<Keys[number]>>
): Layer.Layer<Self, never, Context.Service.Identifier<Keys[number]>> =>
  Layer.effect(
    service,
    Effect.contextWith((context: Context.Context<Context.Service.Identifier<Keys[number]>>) => {
      const services = Context.pick(...keys)(context)
      const provided = Object.entries<(...given: ReadonlyArray<never>) => Effect.Effect<unknown>>(
        methods() as never
      ).map(([name, method]) => [
        name,
        (...given: ReadonlyArray<never>) => Effect.provideContext(method(...given), services)
      ])
      return Effect.succeed(Object.fromEntries(provided) as Shape)
    })
  )
