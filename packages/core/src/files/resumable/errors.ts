import { Schema } from "effect"

/** Maximum size of a body with a checksum: its pieces are added in one transaction. */
export const maxChecksummedBytes = 64 * 1024 * 1024

const texts = {
  aborted: "Request aborted due to lock acquired",
  checksum: "Checksum mismatch",
  checksummed: `A body with Upload-Checksum must be at most ${maxChecksummedBytes} bytes long`,
  busy: "The upload is being completed by another request",
  expired: "The file for this url no longer exists",
  length: "Upload-Length or Upload-Defer-Length header required",
  missing: "The file for this url was not found",
  offset: "Upload-Offset conflict",
  size: "upload's size exceeded"
}

/** A request that does not fit to its upload. */
export class ResumableUploadRefused extends Schema.TaggedError<ResumableUploadRefused>()("ResumableUploadRefused", {
  reason: Schema.Literals([
    "aborted",
    "busy",
    "checksum",
    "checksummed",
    "expired",
    "length",
    "missing",
    "offset",
    "size"
  ])
}) {
  override get message() {
    return texts[this.reason]
  }
}

export const refused = (reason: ResumableUploadRefused["reason"]) => new ResumableUploadRefused({ reason })
