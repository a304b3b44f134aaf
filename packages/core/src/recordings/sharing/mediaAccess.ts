import { timingSafeEqual } from "node:crypto"
import type { Instant, Recording, RecordingUuid } from "@tapedeck/domain"
import { sharingOf } from "@tapedeck/domain/internal/recordings"
import type { Caller } from "../../people/Caller.ts"
import type { Vault } from "../../Vault.ts"
import { mayReadAs } from "../visibility.ts"

const dayMs = 24 * 3_600_000

type Hashes = Pick<Vault["Service"], "hash">

/** A request for the public page of a recording, or for the files on it: video, still and captions. */
export interface AccessRequest {
  readonly part: "page" | "files"
  /** Null: no user is signed in. */
  readonly caller: Caller | null
  /** The signature that the request brings (`mediaAccessOf`). */
  readonly access?: string | undefined
  /** The recording that the request's share link opens. */
  readonly linked?: RecordingUuid | undefined
}

const signatureOf = (vault: Hashes, uuid: RecordingUuid, expires: number) =>
  vault.hash(`files of ${uuid} until ${expires}`)

/**
 * Returns the value that opens the files of a recording without sign-in; null for a public recording. It expires at midnight UTC, and so
 * is the same for a day, so that browsers do not load a file again.
 */
export const mediaAccessOf = (vault: Hashes, recording: Recording, at: Instant, signedMs: number): string | null => {
  if (sharingOf(recording) === "public") return null
  const expires = (Math.ceil((at + signedMs) / dayMs) * dayMs) / 1_000
  return `${expires}-${signatureOf(vault, recording.uuid, expires)}`
}

const isSigned = (vault: Hashes, uuid: RecordingUuid, access: string, at: Instant): boolean => {
  const [, expires = "", signature = ""] = /^(\d{1,12})-([\w-]{43})$/.exec(access) ?? []
  if (signature === "" || at >= Number(expires) * 1_000) return false
  return timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(vault, uuid, Number(expires))))
}

/** Returns whether the recording's sharing, its owner's and admins' rights, a share link or a signature admit the request. */
export const admits = (
  vault: Hashes,
  recording: Recording,
  { access, caller, linked, part }: AccessRequest,
  at: Instant
): boolean => {
  const sharing = sharingOf(recording)
  if (sharing === "public" || linked === recording.uuid) return true
  if (caller !== null && mayReadAs(caller.user, recording)) return true
  if (sharing === "account" && caller?.account.id === recording.accountId) return true
  return part === "files" && access !== undefined && isSigned(vault, recording.uuid, access, at)
}
