import { settings, UnsupportedMediaType } from "@tapedeck/contract"
import {
  DeliveryLog,
  InputMalformed,
  type OwnedRecording,
  RecordingChanges,
  RecordingContent,
  RecordingList,
  type RecordingListOptions,
  RecordingSettings,
  Recordings,
  SeenRecordings,
  ServiceConfig,
  SummarySettings,
  TrimSettings,
  type Upload,
  VideoUploads
} from "@tapedeck/core"
import { FolderId, parseIso, parseRecordingUuid, UserId } from "@tapedeck/domain"
import { MAX_LISTED_UUIDS, parseSearch, type SpokenMatch } from "@tapedeck/domain/internal/recordings"
import { Effect, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import { declaredBytes } from "../pipeline/requestBody.ts"
import { beginsDownload, downloadVideo } from "../recordings/download.ts"
import { ticketSearch } from "../recordings/publicApi.ts"
import { listAnswer, listedJson, wireCursorPage, wirePagination } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { listedRecordings, managedRecordings } from "./wire/recording.ts"

const wireMatch = ({ startSeconds, text }: SpokenMatch): settings.SearchMatch => ({ start_seconds: startSeconds, text })

const wireManaged = <E, R>(owned: Effect.Effect<OwnedRecording, E, R>) =>
  Effect.zipWith(owned, managedRecordings, (one, wire) => wire(one))

/** RFC 9110, 8.3.1, parameters and all. */
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+[ \t]*(;.*)?$/

/** The body as a file, with its type. Its bytes are stored as they arrive, and never held in memory. None of them is read yet. */
const uploadOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return yield* new UnsupportedMediaType({ message: "The file must come without a Content-Encoding" })
  }
  const contentType = request.headers["content-type"]?.trim() ?? "application/octet-stream"
  if (!mediaType.test(contentType)) {
    return yield* new UnsupportedMediaType({ message: "Content-Type must be a media type such as video/webm" })
  }
  const sizeBytes = declaredBytes(request)
  const upload: Upload<InputMalformed> = {
    contentType,
    ...(sizeBytes !== undefined && { sizeBytes }),
    bytes: Stream.mapError(request.stream, () => new InputMalformed({ reason: "The body is incomplete" }))
  }
  return upload
})

type ListQuery = typeof settings.RecordingQuery.Type

/** Returns whether the query asks for more than a page by its number. */
const isByCursor = (query: ListQuery) =>
  Object.keys(query).some((name) => !["page", "ticket_id", "provider"].includes(name))

/** Returns the filters of a query, each of which the contract has checked. */
const filtersOf = (query: ListQuery): RecordingListOptions => {
  const { cursor, folder_id, items, owner, platform, search, since, sort = "-created_at", type, until } = query
  return {
    order: sort,
    ...(search !== undefined && parseSearch(search)),
    ...(type !== undefined && { type }),
    ...(platform !== undefined && { platform }),
    ...(folder_id !== undefined && { folderId: FolderId.make(folder_id) }),
    ...(owner !== undefined && { ownerId: UserId.make(owner) }),
    ...(since !== undefined && { since: parseIso(since)! }),
    ...(until !== undefined && { until: parseIso(until)! }),
    ...(items !== undefined && { items }),
    ...(cursor !== undefined && { cursor })
  }
}

/** Endpoints that list, create, move, change and delete recordings (S2). */
export const recordings = settingsEndpointsOf(settings.Api.groups.recordings, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const config = yield* ServiceConfig
      if (query.updated_since !== undefined) {
        const wire = yield* managedRecordings
        const { list } = yield* RecordingChanges
        const { hasMore, items, nextSince } = yield* list(caller, query.updated_since)
        const pagination = { items: config.pageSize, has_more: hasMore, next_since: nextSince }
        return yield* listAnswer(pagination, items, (item) =>
          listedJson("removed" in item ? { uuid: item.removed, deleted: true } : wire(item))
        )
      }
      if (query.uuids !== undefined) {
        const { byUuids } = yield* Recordings
        const found = yield* byUuids(
          caller,
          query.uuids.split(",").map((text) => parseRecordingUuid(text)!)
        )
        const listed = yield* listedRecordings(caller, found)
        const page = { count: found.length, isExact: true, items: found }
        return yield* listAnswer(wireCursorPage(page, MAX_LISTED_UUIDS), found, (owned) => listedJson(listed(owned)))
      }
      if (isByCursor(query)) {
        const { list } = yield* RecordingList
        const page = yield* list(caller, filtersOf(query))
        const listed = yield* listedRecordings(caller, page.items)
        const items = Math.min(query.items ?? config.pageSize, config.pageSize)
        return yield* listAnswer(wireCursorPage(page, items), page.items, ({ match, ...owned }) =>
          listedJson({ ...listed(owned), ...(match && { match: wireMatch(match) }) })
        )
      }
      const { list } = yield* Recordings
      const page = yield* list(caller, { page: query.page ?? 1, ...ticketSearch(query) })
      const pagination = { ...wirePagination(page.pagination), count_is_exact: true }
      const listed = yield* listedRecordings(caller, page.recordings)
      return yield* listAnswer(pagination, page.recordings, (owned) => listedJson(listed(owned)))
    })
  },
  create: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { create } = yield* RecordingSettings
      return yield* wireManaged(create(caller, yield* input))
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { captureState } = yield* RecordingSettings
      const { get } = yield* Recordings
      const owned = yield* get(caller, params.uuid)
      return {
        ...(yield* listedRecordings(caller, [owned]))(owned),
        summary_blocked_by: yield* SummarySettings.use(({ obstacle }) => obstacle(owned.recording)),
        capture_state: yield* captureState(owned.recording)
      }
    })
  },
  errors: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { errors } = yield* RecordingContent
      const { consoleErrors, networkErrors } = yield* errors(caller, params.uuid)
      return { console_errors: consoleErrors, network_errors: networkErrors }
    })
  },
  folderDeliveries: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { inFolder } = yield* DeliveryLog
      const { folderId, states } = yield* inFolder(caller, params.uuid)
      return { folder_id: folderId, states }
    })
  },
  update: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { update } = yield* RecordingContent
      return yield* wireManaged(update(caller, params.uuid, yield* input))
    })
  },
  download: {
    answer: Effect.fnUntraced(function* ({ caller, params, request }) {
      const { download } = yield* RecordingContent
      return yield* downloadVideo(download(caller, params.uuid, beginsDownload(request)), request)
    })
  },
  upload: {
    body: "upload",
    answer: Effect.fnUntraced(function* ({ caller, params, query, request }) {
      const { upload } = yield* VideoUploads
      const file = yield* uploadOf(request)
      return yield* wireManaged(upload(caller, params.uuid, file, query.version))
    })
  },
  trim: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { set } = yield* TrimSettings
      return yield* wireManaged(set(caller, params.uuid, yield* input))
    })
  },
  untrim: {
    answer: ({ caller, params }) => wireManaged(TrimSettings.use(({ undo }) => undo(caller, params.uuid)))
  },
  summarize: {
    answer: ({ caller, params }) => wireManaged(SummarySettings.use(({ request }) => request(caller, params.uuid)))
  },
  markSeen: {
    answer: ({ caller, params }) => SeenRecordings.use(({ mark }) => mark(caller, params.uuid))
  },
  move: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { move } = yield* RecordingSettings
      return yield* wireManaged(move(caller, params.uuid, yield* input))
    })
  },
  leave: {
    answer: ({ caller, params }) => RecordingSettings.use(({ leave }) => leave(caller, params.uuid))
  },
  delete: {
    answer: ({ caller, params }) => RecordingSettings.use(({ remove }) => remove(caller, params.uuid))
  }
})
