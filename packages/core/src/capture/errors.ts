import { Schema } from "effect"

/** The capture token is missing, unknown or expired, opens another capture, or its capture takes no more (401). */
export class CaptureRefused extends Schema.TaggedError<CaptureRefused>()("CaptureRefused", {}) {
  override get message() {
    return "Capture token is missing, invalid or no longer valid"
  }
}

/** The link is there, but takes no more captures (410). */
export class LinkUsedUp extends Schema.TaggedError<LinkUsedUp>()("LinkUsedUp", {
  state: Schema.Literals(["used_up", "expired"])
}) {
  override get message() {
    return this.state === "expired" ? "This link has expired" : "This link was used as often as it may be"
  }
}

/** A page of another origin than the site's (403). */
export class OriginRefused extends Schema.TaggedError<OriginRefused>()("OriginRefused", {}) {
  override get message() {
    return "The site does not name this origin"
  }
}

export const byteQuotaText = (limit: number) =>
  `The files of a member's recordings may have ${limit} bytes together at most (quota_bytes)`

const limitTexts = {
  capture: (limit: number) => `A capture of this duration has at most ${limit} bytes`,
  address: (limit: number) => `Captures by one link or site have at most ${limit} bytes a day from one network address`,
  key: (limit: number) => `Captures by one link or site have at most ${limit} bytes a day`,
  sites: (limit: number) => `Captures on the account's sites have at most ${limit} bytes a day`,
  day: (limit: number) => `The account's captures have at most ${limit} bytes a day`,
  quota: byteQuotaText
}

/** More bytes than a capture, the captures of a day of a link, a site or the account, or the recordings of a member may have (413). */
export class CaptureTooLarge extends Schema.TaggedError<CaptureTooLarge>()("CaptureTooLarge", {
  limitBytes: Schema.Int,
  of: Schema.Literals(["capture", "address", "key", "sites", "day", "quota"])
}) {
  override get message() {
    return limitTexts[this.of](this.limitBytes)
  }
}
