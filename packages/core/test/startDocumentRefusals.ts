import { describe, expect, it } from "vitest"
import type { StartDocumentOptions } from "../src/startDocument/context.ts"
import { makeWorld } from "./startDocumentWorld.ts"

export type Row = readonly [document: unknown, ...problems: ReadonlyArray<string>]

export const bob = { email: "bob@acme.test", name: "Bob" }
export const folders = [{ id: "f1", name: "VIP" }]
export const sinks = [{ id: "crm" }]
export const recording = (fields: object) => ({ recordings: [fields] })
export const live = (room_insights: object) => recording({ recording_type: "Live", room_insights })
export const helpdesk = (fields: object) => recording({ helpdesk: fields })
export const video = (original: unknown) => recording({ video: { original } })
export const transcript = (fields: object) => recording({ transcript: fields })
export const script = (...steps: ReadonlyArray<unknown>) => transcript({ script: steps })
export const automation = (fields: object) => ({
  folders,
  sinks,
  automations: [{ folder: "f1", url: "sink:crm", ...fields }]
})
export const destination = (fields: object) => ({
  sinks,
  audit_destinations: [{ name: "SIEM", url: "sink:crm", ...fields }]
})

export const refuses = async ([document, ...problems]: Row, options?: StartDocumentOptions) =>
  expect(await makeWorld().problems(document, options)).toEqual(problems)

export const describeRows = (name: string, rows: ReadonlyArray<Row>) =>
  describe(name, () => {
    it.each(rows.map((row) => [row[1] ?? "", row] as const))("%s", (_, row) => refuses(row))
  })
