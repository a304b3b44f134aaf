import { settings } from "@tapedeck/contract"
import {
  type ReadableLink,
  type RecordingSharing,
  recordingLinks,
  ServiceConfig,
  SharingSettings
} from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { secretJson } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

const wireLink = ({ hasPassword, link, url }: ReadableLink): settings.ShareLink => ({
  id: link.id,
  url,
  has_password: hasPassword,
  expires_at: link.expiresAt === null ? null : toIso(link.expiresAt),
  created_at: toIso(link.createdAt)
})

const wireSharing = <E, R>(sharing: Effect.Effect<RecordingSharing, E, R>) =>
  Effect.zipWith(sharing, ServiceConfig, ({ links, recording, sharing }, { publicUrl }) =>
    secretJson({
      sharing,
      is_log_shared: recording.isLogShared === true,
      url: recordingLinks(publicUrl, recording.uuid).url,
      links: links.map(wireLink)
    })
  )

/** Endpoints that set who may open recordings, and the links to recordings. */
export const sharing = settingsEndpointsOf(settings.Api.groups.sharing, {
  read: {
    answer: ({ caller, params }) => wireSharing(SharingSettings.use(({ get }) => get(caller, params.uuid)))
  },
  set: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { set } = yield* SharingSettings
      return yield* wireSharing(set(caller, params.uuid, yield* input))
    })
  },
  create_link: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { createLink } = yield* SharingSettings
      return secretJson(wireLink(yield* createLink(caller, params.uuid, yield* input)), 201)
    })
  },
  revoke_link: {
    answer: ({ caller, params }) => SharingSettings.use(({ revokeLink }) => revokeLink(caller, params.uuid, params.id))
  }
})
