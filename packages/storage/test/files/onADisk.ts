import { mkdirSync, writeFileSync } from "node:fs"
import { Effect } from "effect"
import { diskBytes } from "../../src/files/disk.ts"
import { dataDirectory, diskIn, leaveContent, onDisk, type PlaceKind } from "./places.ts"

/** Files on a disk, and what a crash leaves on one alone. */
export const diskKind: PlaceKind = {
  name: "on a disk",
  makePlace: Effect.map(dataDirectory, (data) => ({
    data,
    openBytes: diskBytes(diskIn(data)),
    left: Effect.sync(() => onDisk(data)),
    leave: (bytes) => Effect.sync(() => leaveContent(data, bytes))
  })),
  crashes: [
    ["while bytes come in", ({ data }, bytes) => Effect.sync(() => writeFileSync(`${data}/tmp/1.part`, bytes))],
    [
      "in a directory that is new, and empty",
      ({ data }) => Effect.sync(() => mkdirSync(`${data}/files/00`, { recursive: true }))
    ]
  ]
}
