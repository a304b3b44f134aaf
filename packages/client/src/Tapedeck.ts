import { type Change, type ChangesOptions, changesOf, recordingChangesOf } from "./changes.ts"
import { SettingsApi } from "./generated/settings.gen.ts"
import type { RecordingChanges } from "./generated/settings.types.gen.ts"
import { V1Api } from "./generated/v1.gen.ts"
import { V2Api } from "./generated/v2.gen.ts"
import type { ClientOptions, RequestOptions } from "./options.ts"
import { Transport } from "./Transport.ts"
import { ResumableUploads } from "./uploads.ts"
import { Webhooks } from "./webhooks.ts"

/**
 * A client of one Tapedeck service. v2 is at the top; `v1` is the legacy API and `settings` what the settings screens do.
 *
 * ```ts
 * const tapedeck = new Tapedeck({ baseUrl: "https://rec.acme.example", token: process.env.TAPEDECK_TOKEN })
 * for await (const recording of tapedeck.recordings.list({ ticket_id: "4711" })) console.log(recording.title)
 * ```
 *
 * @throws {TypeError} where an option is wrong, or `baseUrl` or `token` is missing
 */
export class Tapedeck extends V2Api {
  readonly v1: V1Api
  readonly settings: SettingsApi
  /** Uploads of videos that survive a broken connection and a restart. */
  readonly uploads: ResumableUploads
  readonly webhooks: Webhooks
  readonly #transport: Transport

  constructor(options: ClientOptions = {}) {
    const transport = new Transport(options)
    super(transport)
    this.v1 = new V1Api(transport)
    this.settings = new SettingsApi(transport)
    this.uploads = new ResumableUploads(transport, this.settings.recordings)
    this.webhooks = new Webhooks()
    this.#transport = transport
  }

  /**
   * Iterates the changes of everything that the caller may read, as ids to read anew. Reconnects by itself.
   *
   * ```ts
   * for await (const change of tapedeck.changes()) if (change.type === "recording") console.log(change.uuid)
   * ```
   */
  changes(options?: ChangesOptions): AsyncGenerator<Change, void, undefined> {
    return changesOf(this.#transport, this.settings.events, options)
  }

  /**
   * Iterates pages of what changed in the recordings after `since`, which is `pagination.next_since` of an earlier page: recordings as they
   * are now, and `{uuid, deleted: true}`. Without it, all recordings. Save `next_since` with what a page changed, and continue there.
   *
   * ```ts
   * for await (const { pagination, records } of tapedeck.recordingChanges(await load())) await save(records, pagination.next_since)
   * ```
   *
   * @throws {TapedeckError} 410: `since` is too old, or of another database, user or role. Read all recordings again.
   */
  recordingChanges(since = "", options?: RequestOptions): AsyncGenerator<RecordingChanges, void, undefined> {
    return recordingChangesOf(this.#transport, since, options)
  }
}
