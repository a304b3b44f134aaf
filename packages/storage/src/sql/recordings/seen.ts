import { maxForgotten, type RecordingRepository } from "@tapedeck/core"
import type { RecordingUuid } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { inList } from "../database/statements.ts"

// The recording may be removed in the meantime, and its records with it.
const insert = `INSERT INTO seen_recordings (recording_uuid, user_id, expires_at)
  SELECT uuid, ?, ? FROM recordings WHERE uuid = ? ON CONFLICT DO NOTHING`

const forget = `DELETE FROM seen_recordings WHERE (recording_uuid, user_id) IN (
    SELECT recording_uuid, user_id FROM seen_recordings WHERE expires_at < ? ORDER BY expires_at LIMIT ${maxForgotten}
  ) RETURNING user_id`

/** Records of opened recordings. */
export const seenRecordings = ({
  query,
  read,
  readCommitted,
  write
}: Database): Pick<RecordingRepository, "forgetSeen" | "markSeen" | "seenBy"> => ({
  markSeen: (uuid, { expiresAt, userId }) => Effect.asVoid(write(query(insert, userId, expiresAt, uuid))),
  seenBy: (userId, uuids) => {
    if (uuids.length === 0) return Effect.succeed(new Set())
    const { marks, values } = inList(uuids)
    return read(
      Effect.map(
        query<[RecordingUuid]>(
          `SELECT recording_uuid FROM seen_recordings WHERE recording_uuid IN ${marks} AND user_id = ?`,
          ...values,
          userId
        ),
        (rows) => new Set(rows.map(([uuid]) => uuid))
      )
    )
  },
  forgetSeen: (endedBefore) => readCommitted(Effect.map(query(forget, endedBefore), (rows) => rows.length))
})
