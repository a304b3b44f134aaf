import { randomUUID } from "node:crypto"
import { ChangeLog, type Ids, type Store, type Vault } from "@tapedeck/core"
import { Effect, Latch } from "effect"
import { makeAuditEntries } from "./audit/entries.ts"
import { makeAuditSeals } from "./audit/seals.ts"
import { makeCaptureLinks, makeCaptures, makeSites } from "./capture/repository.ts"
import type { Database } from "./database/Database.ts"
import { makeSecrets } from "./database/secrets.ts"
import { makeAttemptTexts } from "./deliveries/attempts.ts"
import { makeRedeliveries } from "./deliveries/redeliveries.ts"
import { makeDeliveries } from "./deliveries/repository.ts"
import type { Files } from "./files/repository.ts"
import type { SpaceMonitor } from "./files/SpaceMonitor.ts"
import { makeUploads } from "./files/uploads.ts"
import { makeFolders } from "./folders/repository.ts"
import { makeIdempotencyKeys } from "./idempotencyKeys.ts"
import { makeAgenda, makeAgendaOrder } from "./jobs/agenda.ts"
import { makeJobs } from "./jobs/jobs.ts"
import { makeSignIn } from "./people/signIn.ts"
import { makeRateWindows, makeTokens } from "./people/tokens.ts"
import { makeAccounts, makeUserCache, makeUsers } from "./people/users.ts"
import { makeAutomations, makeDestinations } from "./receivers/repository.ts"
import { makeStatistics } from "./receivers/statistics.ts"
import { makeRecordingParts } from "./recordings/parts.ts"
import { makeRecordings } from "./recordings/repository.ts"
import { makeShareLinks } from "./recordings/shareLinks.ts"
import type { Views } from "./recordings/Views.ts"

export interface SqlStoreParts {
  readonly files: Files
  readonly space: SpaceMonitor
  readonly views: Views
  readonly vault: Vault["Service"]
  readonly ids: Ids["Service"]
}

/** Core's store on a database whose migrations have run. */
export const makeSqlStore = (database: Database, { files, ids, space, vault, views }: SqlStoreParts): Store => {
  const changed = Latch.makeUnsafe(false)
  const wake = () => {
    changed.openUnsafe()
    changed.closeUnsafe()
  }
  database.peers.onNotified(wake)
  const agendaChanged = database.afterCommit(() => {
    wake()
    database.peers.notify()
  })
  const agendaTaken = database.afterCommit(wake)
  const { counters } = database
  const agendaOrder = makeAgendaOrder(counters)
  const userCache = makeUserCache()
  const users = makeUsers(database, counters, userCache)
  const secrets = makeSecrets(vault, ids)
  const recordings = makeRecordings(database, counters, views)
  const automations = makeAutomations(database, secrets)
  const destinations = makeDestinations(database, secrets)
  const texts = makeAttemptTexts(secrets)
  const receivers = { automations, destinations }
  const changes = new ChangeLog(randomUUID())
  if (database.peers.isPossible) {
    database.peers.onChanges((received) => changes.receive(received))
    changes.onPublish(database.peers.notifyChanges)
  }
  return {
    transaction: changes.publishing(database.transaction),
    changes,
    nextNumber: (kind) => database.write(counters.next(kind)),
    isReporter: database.read(database.peers.isReporter),
    accounts: makeAccounts(database, counters),
    users: {
      ...users,
      save: (user) =>
        user.picture === undefined
          ? users.save(user)
          : database.transaction(Effect.andThen(users.save(user), files.attachFile(user.picture.fileId)))
    },
    tokens: makeTokens(database, userCache),
    recordings: {
      ...recordings,
      add: (all) =>
        database.transaction(Effect.andThen(recordings.add(all), Effect.forEach(all, files.attach, { discard: true }))),
      save: (recording) => database.transaction(Effect.andThen(recordings.save(recording), files.attach(recording))),
      remove: (uuid) => database.transaction(Effect.andThen(recordings.remove(uuid), files.detach(uuid)))
    },
    recordingParts: makeRecordingParts(database),
    shareLinks: makeShareLinks(database),
    folders: makeFolders(database),
    automations,
    destinations,
    sites: makeSites(database),
    captureLinks: makeCaptureLinks(database),
    captures: makeCaptures(database),
    auditEntries: makeAuditEntries(database, counters),
    auditSeals: makeAuditSeals(database),
    deliveries: makeDeliveries(database, { texts, receivers, agendaOrder, agendaChanged, agendaTaken }),
    redeliveries: makeRedeliveries(database),
    statistics: makeStatistics(database),
    jobs: makeJobs(database, { counters, agendaOrder, agendaChanged }),
    agenda: makeAgenda(database, changed),
    files: files.repository,
    uploads: makeUploads(database),
    space,
    rateWindows: makeRateWindows(database),
    idempotencyKeys: makeIdempotencyKeys(database),
    ...makeSignIn(database, userCache)
  }
}
