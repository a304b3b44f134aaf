/**
 * Fills a data directory with so many recordings of one account, through the store: `node seed.ts DIRECTORY COUNT [WORDS]`, with transcripts
 * of so many words. Prints how many recordings it saved per second.
 */
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AccessTokens, Ids, storeOf, Vault } from "@tapedeck/core"
import { AccountId, Instant, type Recording, RecordingId, RecordingUuid } from "@tapedeck/domain"
import { loadStartDocument } from "@tapedeck/fixtures"
import { FileBytes } from "@tapedeck/storage/files"
import { layerSqlite } from "@tapedeck/storage/sqlite"
import { Effect, Layer, Redacted } from "effect"
import { recordingsDocument } from "../list/fixtures.ts"

const [directory = "", count = "", words = "0"] = process.argv.slice(2)
const total = Number(count)
const database = join(directory, "tapedeck.db")

/** These come as a start document does; all others are copies of them, each with an id, a time and a ticket of its own. */
const models = 1_000
const inOneTransaction = 10_000
const minuteMs = 60_000

const copyOf = (model: Recording, index: number): Recording => {
  const rounds = Math.floor(index / models)
  const createdAt = Instant.make(model.createdAt + rounds * models * minuteMs)
  return {
    ...model,
    id: RecordingId.make(index + 1),
    uuid: RecordingUuid.make(`00000000-0000-4000-8000-${String(index).padStart(12, "0")}`),
    createdAt,
    updatedAt: createdAt,
    helpdesk: { ...model.helpdesk, ticketId: String(40_000 + index) }
  }
}

const seed = Effect.gen(function* () {
  const store = yield* storeOf("recordings")
  const { config: _, ...document } = recordingsDocument(models, 25, Number(words))
  yield* loadStartDocument(document, { vendor: "Tapedeck", allowHttp: false })
  const { items } = yield* store.recordings.page({ accountId: AccountId.make(1) }, { offset: 0, limit: models })
  const inOrder = items.toSorted((a, b) => a.id - b.id)
  const startedAt = performance.now()
  for (let from = models; from < total; from += inOneTransaction) {
    const until = Math.min(total, from + inOneTransaction)
    yield* store.recordings.add(
      Array.from({ length: until - from }, (_, place) => copyOf(inOrder[(from + place) % models]!, from + place))
    )
  }
  return ((total - models) / (performance.now() - startedAt)) * 1000
})

/** Gives each copy the transcript of its model, and fills the text index at once. */
const copyTranscripts = () => {
  const connection = new DatabaseSync(database)
  const model = `(r.id - 1) % ${models} + 1`
  try {
    connection.exec(`INSERT INTO recording_parts (recording_id, part, page, document)
      SELECT r.id, p.part, p.page, p.document FROM recordings r JOIN recording_parts p ON p.recording_id = ${model} WHERE r.id > ${models}`)
    connection.exec(`UPDATE recordings AS r SET (spoken, spoken_key) =
      (SELECT m.spoken, m.spoken_key FROM recordings m WHERE m.id = ${model}) WHERE r.id > ${models}`)
    connection.exec("DELETE FROM recording_search_changes")
    connection.exec("INSERT INTO recording_search (recording_search) VALUES ('delete-all')")
    connection.exec(
      "INSERT INTO recording_search (rowid, words) SELECT place, search || spoken FROM recordings ORDER BY place"
    )
  } finally {
    connection.close()
  }
}

const keyBytes = randomBytes(32)
writeFileSync(join(directory, "key"), keyBytes.toString("base64"), { mode: 0o600 })
const key = Redacted.make(new Uint8Array(keyBytes))
const services = AccessTokens.layer.pipe(
  Layer.provideMerge(layerSqlite({ file: database })),
  Layer.provideMerge(Layer.mergeAll(Vault.layer(key), Ids.layerRandom)),
  Layer.provide(FileBytes.layerMemory)
)
const savedPerSecond = await Effect.runPromise(Effect.provide(seed, services))
if (Number(words) > 0) copyTranscripts()
console.log(savedPerSecond)
