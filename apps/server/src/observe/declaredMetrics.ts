import type { MetricDeclaration } from "@tapedeck/core"
import { storageMetrics } from "@tapedeck/storage/metrics"
import { Effect } from "effect"
import { edgeMetrics } from "../serve/edge/edgeMetrics.ts"
import { attemptMetrics } from "./attempts.ts"
import { jobMetrics } from "./jobs.ts"
import { mailMetrics } from "./mails.ts"
import { otlpMetrics } from "./otlp/transport.ts"
import { processMetrics } from "./processMetrics.ts"
import { requestMetrics } from "./requestMetrics.ts"
import { signInMetrics } from "./signIns.ts"
import { ownedStoreMetrics, sharedStoreMetrics } from "./storeMetrics.ts"
import { temporaryMetrics } from "./temporaryMetrics.ts"

/** The metrics that each process counts. */
const countedMetrics = [
  ...requestMetrics,
  ...edgeMetrics,
  ...attemptMetrics,
  ...jobMetrics,
  ...mailMetrics,
  ...signInMetrics,
  ...otlpMetrics,
  ...storageMetrics
]

/** Every metric of the server, in the order of docs/operating.md. */
export const declaredMetrics: ReadonlyArray<MetricDeclaration> = [
  ...countedMetrics,
  ...sharedStoreMetrics,
  ...ownedStoreMetrics,
  ...temporaryMetrics,
  ...processMetrics
]

/** Creates every series of the counters and histograms, with 0. */
export const startMetrics: Effect.Effect<void> = Effect.forEach(
  countedMetrics.filter(({ type }) => type !== "gauge"),
  ({ start }) => start,
  { discard: true }
)
