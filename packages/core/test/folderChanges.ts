import type { AuditEventType } from "@tapedeck/domain/audit"
import { FolderChange, FolderInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { FolderSettings } from "../src/index.ts"
import { ada, callerOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"

const admin = callerOf(ada, { kind: "session" })
type Entry = readonly [AuditEventType, string, unknown]

const folders = Effect.flatMap(FolderSettings, Effect.succeed)

/** Changes to folders, and the audit entry that each makes. */
export const folderRows = [
  {
    does: "making a folder",
    change: Effect.flatMap(folders, ({ create }) => create(admin, inputOf(FolderInput, { name: "New" }))),
    entry: ["folder.created", "folder", { name: { from: null, to: "New" } }] as Entry
  },
  {
    does: "renaming a folder",
    change: Effect.flatMap(folders, ({ rename }) => rename(admin, "vip", inputOf(FolderChange, { name: "Very" }))),
    entry: ["folder.updated", "folder vip", { name: { from: "Folder vip", to: "Very" } }] as Entry
  },
  {
    does: "deleting a folder",
    change: Effect.flatMap(folders, ({ remove }) => remove(admin, "bugs")),
    entry: [
      "folder.deleted",
      "folder bugs",
      { name: { from: "Folder bugs", to: null }, recordings: { from: 0, to: null } }
    ] as Entry
  }
]
