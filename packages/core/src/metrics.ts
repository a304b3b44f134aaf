import { Effect, Metric, type Scope } from "effect"

/** The labels of a metric: all values of each; null if the values are known only at run time. */
export type MetricLabels = Readonly<Record<string, ReadonlyArray<string> | null>>

export type LabelValues<Labels extends MetricLabels> = {
  readonly [Name in keyof Labels]: Labels[Name] extends ReadonlyArray<infer Value> ? Value : string
}

/** A metric, declared once: the documentation and the checks of alerts read the same declaration as Prometheus. */
export interface MetricDeclaration<Labels extends MetricLabels = MetricLabels> {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels: Labels
}

export interface DeclaredMetric<Labels extends MetricLabels, Series> extends MetricDeclaration<Labels> {
  /** Returns the series of these labels. */
  readonly of: (values: LabelValues<Labels>) => Series
  /**
   * Creates every series, with 0: Prometheus sees no increase of a counter whose first value is 1. Does nothing if the values of a
   * label are known only at run time.
   */
  readonly start: Effect.Effect<void>
}

type Names<Labels extends MetricLabels> = Readonly<Record<keyof Labels & string, string>>

const combinations = (labels: MetricLabels): ReadonlyArray<Readonly<Record<string, string>>> =>
  Object.entries(labels).reduce<ReadonlyArray<Readonly<Record<string, string>>>>(
    (all, [name, values]) => all.flatMap((one) => (values ?? []).map((value) => ({ ...one, [name]: value }))),
    [{}]
  )

const declare = <const Labels extends MetricLabels, Input, State>(
  declaration: MetricDeclaration<Labels>,
  make: (attributes: Names<Labels>) => Metric.Metric<Input, State>
) => {
  const known = new Map<string, Metric.Metric<Input, State>>()
  const names = Object.keys(declaration.labels)
  const seriesOf = (values: Names<Labels>) => {
    const key = names.map((name) => values[name]).join(" ")
    const found = known.get(key) ?? make(values)
    known.set(key, found)
    return found
  }
  const start = Effect.forEach(
    combinations(declaration.labels),
    (values) => Metric.value(seriesOf(values as Names<Labels>)),
    { discard: true }
  )
  const of = (values: LabelValues<Labels>) => seriesOf(values as Names<Labels>)
  return { ...declaration, of, start }
}

/** Declares a counter, whose name ends with `_total`. */
export const declareCounter = <const Labels extends MetricLabels>(
  name: string,
  help: string,
  labels: Labels
): DeclaredMetric<Labels, Metric.Counter<number>> =>
  declare({ name, type: "counter", help, labels }, (attributes) =>
    Metric.counter(name, { description: help, attributes, incremental: true })
  )

export const declareGauge = <const Labels extends MetricLabels>(
  name: string,
  help: string,
  labels: Labels
): DeclaredMetric<Labels, Metric.Gauge<number>> =>
  declare({ name, type: "gauge", help, labels }, (attributes) => Metric.gauge(name, { description: help, attributes }))

/** Declares a histogram of durations in seconds, with the upper bounds of its buckets. */
export const declareHistogram = <const Labels extends MetricLabels>(
  name: string,
  help: string,
  labels: Labels,
  boundaries: ReadonlyArray<number>
): DeclaredMetric<Labels, Metric.Histogram<number>> =>
  declare({ name, type: "histogram", help, labels }, (attributes) =>
    Metric.histogram(name, { description: help, attributes, boundaries })
  )

/** Computes a series when the metrics are read, as long as the scope lasts. */
export const computeSeries = <State>(
  series: Metric.Metric<number, State>,
  get: () => State
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => Metric.registerUnsafe(series, context, { get, update: () => {}, modify: () => {} })),
        (registration) => Effect.sync(() => registration.remove())
      )
    )
  )
