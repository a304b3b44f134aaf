import type { Store } from "@tapedeck/core"
import { Effect } from "effect"
import { readAll } from "./readAll.ts"
import {
  aDelivery,
  aDestination,
  aFolder,
  anAccount,
  anAutomation,
  aRecording,
  aStep,
  aToken,
  aUser
} from "./samples.ts"

const ids = [1, 2, 3]
const names = ["written", "seeded"]
const everything = { offset: 0, limit: 1_000 }

const each = <Key, A>(keys: ReadonlyArray<Key>, read: (key: Key) => Effect.Effect<A>) => Effect.forEach(keys, read)

/** Returns everything that the port returns of a store, for the keys of the transaction tests. */
export const observe = (store: Store) =>
  Effect.all({
    accounts: store.accounts.list,
    users: store.users.page({ accountId: anAccount(1).id }, everything),
    byEmail: each(["written@acme.test", aUser(11).email], store.users.byEmail),
    holders: store.tokens.holder(aToken("t1", 11).hash),
    admins: store.users.countActiveAdmins(anAccount(1).id),
    tokens: store.tokens.page(aUser(11).id, everything),
    auditEntries: store.auditEntries.page({ accountId: anAccount(1).id }, everything),
    recordings: store.recordings.page({ accountId: anAccount(1).id }, everything),
    byUuid: each(ids, (id) => store.recordings.byUuid(aRecording(id).uuid)),
    byUuids: Effect.map(store.recordings.byUuids(ids.map((id) => aRecording(id).uuid)), (found) =>
      found.map(({ id }) => id).sort((a, b) => a - b)
    ),
    parts: each(ids, (id) => store.recordingParts.read(aRecording(id).id, "consoleErrors", "legacyText")),
    folders: store.folders.list(anAccount(1).id),
    automations: store.automations.ofFolder(anAutomation("written").folderId),
    automation: store.automations.byId(anAutomation("written").id),
    destinations: store.destinations.ofAccount(anAccount(1).id),
    destination: store.destinations.byId(aDestination("written").id),
    folder: store.folders.byId(aFolder("written").id),
    deliveries: store.deliveries.list({}),
    byId: each(names, (name) => store.deliveries.byId(aDelivery(name).id)),
    agenda: store.agenda.list,
    job: store.jobs.byIds([aStep(1, 1).id]),
    file: readAll(store, "written", 10),
    window: store.rateWindows.byToken(aToken("t1", 11).id)
  })
