import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** An invalid URL of a webhook. The error does not contain the URL, because its query may have a secret. */
export class InvalidWebhookUrl extends Schema.TaggedError<InvalidWebhookUrl>()("InvalidWebhookUrl", {
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}

export interface WebhookUrlRules {
  /** True if HTTP is allowed, for receivers of the emulator on loopback. If false, only HTTPS is. */
  readonly allowHttp: boolean
}

/**
 * Checks the URL of a webhook when it is saved. Its address is checked at each attempt, because names can resolve differently
 * then.
 */
export const validateWebhookUrl = (text: string, rules: WebhookUrlRules): Result.Result<string, InvalidWebhookUrl> => {
  const reason = problemOf(text, rules)
  return reason === undefined ? Result.succeed(text) : Result.fail(new InvalidWebhookUrl({ reason }))
}

const problemOf = (text: string, { allowHttp }: WebhookUrlRules): string | undefined => {
  // URL would drop these silently, and so send elsewhere than what is shown.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\x00-\x20\x7f\\]/.test(text)) return "must not contain white space, control characters or backslashes"
  if (!URL.canParse(text)) return "must be an absolute URL"
  const url = new URL(text)
  if (url.protocol !== "https:" && !(allowHttp && url.protocol === "http:")) {
    return allowHttp ? "must begin with https:// or http://" : "must begin with https://"
  }
  if (!/^https?:\/\//i.test(text)) return "must be an absolute URL"
  if (url.username !== "" || url.password !== "") {
    return "must not contain a user name or password (use an Authorization header)"
  }
  return undefined
}
