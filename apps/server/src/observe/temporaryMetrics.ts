import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { declareGauge } from "@tapedeck/core"
import { Effect, Metric } from "effect"

const temporaryBytes = declareGauge(
  "tapedeck_temporary_bytes",
  "Size of `tmp/` in the data directory: uploads and media jobs in progress",
  {}
)

export const temporaryMetrics = [temporaryBytes]

/** The size of all files below a folder. Files that are removed in the meantime, or cannot be read, are not counted. */
const sizeBelow = async (folder: string): Promise<number> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  let sizeBytes = 0
  for (const entry of entries) {
    if (!entry.isFile()) continue
    sizeBytes += await stat(join(entry.parentPath, entry.name)).then(
      ({ size }) => size,
      () => 0
    )
  }
  return sizeBytes
}

/** Reads the size when the metrics are read. A store in memory has no folder. */
export const updateTemporaryMetrics = (folder: string | null): Effect.Effect<void> =>
  folder === null
    ? Effect.void
    : Effect.flatMap(
        Effect.promise(() => sizeBelow(folder)),
        (sizeBytes) => Metric.update(temporaryBytes.of({}), sizeBytes)
      )
