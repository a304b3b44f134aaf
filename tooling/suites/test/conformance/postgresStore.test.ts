import { storeConformance } from "@tapedeck/testkit"
import { afterAll } from "vitest"
import { storage } from "../../src/hermetic/storage.ts"
import { emptyPostgres, stopPostgres } from "./postgres.ts"

afterAll(stopPostgres)

/** Each history has a database of its own, and restarts in it. */
const backend = {
  name: "on PostgreSQL",
  open: emptyPostgres,
  histories: 20,
  isShared: true,
  hasParallelTransactions: true
}

storeConformance(backend)
storage(backend)
