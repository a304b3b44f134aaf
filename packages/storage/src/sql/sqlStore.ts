import { type Ids, Store, type Vault } from "@tapedeck/core"
import { Effect, Latch } from "effect"
import { makeAccounts } from "./accounts.ts"
import { makeAgenda } from "./agenda.ts"
import { makeAgendaOrder } from "./agendaOrder.ts"
import { makeAttemptTexts } from "./attempts.ts"
import { makeAuditEntries } from "./auditEntries.ts"
import { makeAuditSeals } from "./auditSeals.ts"
import { makeAutomations } from "./automations.ts"
import { makeCounters } from "./counters.ts"
import type { Database } from "./Database.ts"
import { makeDeliveries } from "./deliveries.ts"
import { makeDestinations } from "./destinations.ts"
import type { Files } from "./files.ts"
import { makeFolders } from "./folders.ts"
import { makeIdempotencyKeys } from "./idempotencyKeys.ts"
import { makeMediaJobs } from "./mediaJobs.ts"
import { makeRateWindows } from "./rateWindows.ts"
import { makeRecordingParts } from "./recordings/parts.ts"
import type { Views } from "./recordings/Views.ts"
import { makeRecordings } from "./recordings.ts"
import type { Space } from "./Space.ts"
import { makeSecrets } from "./secrets.ts"
import { makeSignIn } from "./signIn.ts"
import { makeTokens } from "./tokens.ts"
import { makeTranscriptSteps } from "./transcriptSteps.ts"
import { decodedUsers, makeUsers } from "./users.ts"

export interface SqlStoreParts {
  readonly files: Files
  readonly space: Space
  readonly views: Views
  readonly vault: Vault["Service"]
  readonly ids: Ids["Service"]
}

/** Core's store on a database whose migrations have run. */
export const makeSqlStore = (
  database: Database,
  { files, ids, space, vault, views }: SqlStoreParts
): Store["Service"] => {
  const changed = Latch.makeUnsafe(false)
  const wake = () => {
    changed.openUnsafe()
    changed.closeUnsafe()
  }
  database.others?.onTold(wake)
  const agendaChanged = database.afterCommit(() => {
    wake()
    database.others?.tell()
  })
  const agendaTaken = database.afterCommit(wake)
  const counters = database.counters ?? makeCounters(database)
  const agendaOrder = makeAgendaOrder(counters)
  const users = decodedUsers()
  const people = makeUsers(database, counters, users)
  const secrets = makeSecrets(vault, ids)
  const recordings = makeRecordings(database, counters, views)
  const automations = makeAutomations(database, secrets)
  const destinations = makeDestinations(database, secrets)
  const texts = makeAttemptTexts(secrets)
  const receivers = { automations, destinations }
  return Store.of({
    transaction: database.transaction,
    nextNumber: (kind) => database.write(counters.next(kind)),
    accounts: makeAccounts(database, counters),
    users: {
      ...people,
      save: (user) =>
        user.picture === undefined
          ? people.save(user)
          : database.transaction(Effect.andThen(people.save(user), files.keepFile(user.picture.fileId)))
    },
    tokens: makeTokens(database, users),
    recordings: {
      ...recordings,
      save: (recording) => database.transaction(Effect.andThen(recordings.save(recording), files.keep(recording))),
      remove: (uuid) => database.transaction(Effect.andThen(recordings.remove(uuid), files.letGo(uuid)))
    },
    recordingParts: makeRecordingParts(database),
    folders: makeFolders(database),
    automations,
    destinations,
    auditEntries: makeAuditEntries(database, counters),
    auditSeals: makeAuditSeals(database),
    deliveries: makeDeliveries(database, { texts, receivers, agendaOrder, agendaChanged, agendaTaken }),
    transcriptSteps: makeTranscriptSteps(database, { agendaOrder, agendaChanged }),
    mediaJobs: makeMediaJobs(database, { counters, agendaChanged }),
    agenda: makeAgenda(database, changed),
    files: files.repository,
    space,
    rateWindows: makeRateWindows(database),
    idempotencyKeys: makeIdempotencyKeys(database),
    ...makeSignIn(database, users)
  })
}
