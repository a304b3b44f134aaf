import { describe } from "vitest"
import { agenda } from "./agenda.ts"
import { auditEntries } from "./auditEntries.ts"
import { auditSeals } from "./auditSeals.ts"
import { promisesOf, type StoreBackend } from "./backend.ts"
import { cancelling } from "./cancelling.ts"
import { captures } from "./captures.ts"
import { claims } from "./claims.ts"
import { numbers, rateWindows } from "./counters.ts"
import { deliveries } from "./deliveries.ts"
import { deliveryQueue } from "./deliveryQueue.ts"
import { deliverySearch } from "./deliverySearch.ts"
import { files } from "./files.ts"
import { histories } from "./histories.ts"
import { idempotencyKeys } from "./idempotencyKeys.ts"
import { jobs } from "./jobs.ts"
import { leases } from "./leases.ts"
import { people } from "./people.ts"
import { persistence } from "./persistence.ts"
import { pruning } from "./pruning.ts"
import { recordingChanges } from "./recordingChanges.ts"
import { recordingLists } from "./recordingLists.ts"
import { recordingParts } from "./recordingParts.ts"
import { recordingSearch } from "./recordingSearch.ts"
import { recordings } from "./recordings.ts"
import { redeliveries } from "./redeliveries.ts"
import { seenRecordings } from "./seenRecordings.ts"
import { settings } from "./settings.ts"
import { settling } from "./settling.ts"
import { shareLinks } from "./shareLinks.ts"
import { signIn } from "./signIn.ts"
import { spokenSearch } from "./spokenSearch.ts"
import { statistics } from "./statistics.ts"
import { transactions } from "./transactions.ts"
import { uploads } from "./uploads.ts"

/**
 * Registers the conformance tests of a store, which use core's `Store` only. A test that needs more than `backend` provides is skipped, and
 * its title says what it needs.
 */
export const storeConformance = (backend: StoreBackend): void => {
  describe(`the store, ${backend.name}`, () => {
    const promised = promisesOf(backend)
    transactions(promised)
    people(promised)
    recordings(promised)
    recordingChanges(promised, backend)
    recordingLists(promised)
    recordingSearch(promised)
    spokenSearch(promised)
    recordingParts(promised)
    settings(promised)
    auditEntries(promised)
    auditSeals(promised)
    deliveries(promised)
    deliverySearch(promised)
    claims(promised)
    cancelling(promised)
    leases(promised)
    settling(promised)
    pruning(promised)
    deliveryQueue(promised)
    agenda(promised)
    redeliveries(promised)
    statistics(promised)
    jobs(promised)
    captures(promised)
    files(promised)
    uploads(promised)
    numbers(promised)
    rateWindows(promised)
    idempotencyKeys(promised)
    seenRecordings(promised)
    shareLinks(promised)
    signIn(promised)
    persistence(promised, backend)
    histories(backend)
  })
}
