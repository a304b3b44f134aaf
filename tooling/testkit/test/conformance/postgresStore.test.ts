import { afterAll } from "vitest"
import { storeConformance } from "../../src/conformance/store.ts"
import { emptyPostgres, stopPostgres } from "./postgres.ts"

afterAll(stopPostgres)

/** Each history has a database of its own, and restarts in it. */
storeConformance({ name: "on PostgreSQL", open: emptyPostgres, histories: 20 })
