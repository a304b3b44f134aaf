import { storeConformance } from "@tapedeck/testkit"
import { storage } from "../../src/hermetic/storage.ts"
import { emptySqlite } from "./sqlite.ts"

/** Each history is written to a disk, and has restarts in it. */
const backend = { name: "on SQLite", open: emptySqlite, histories: 80 }

storeConformance(backend)
storage(backend)
