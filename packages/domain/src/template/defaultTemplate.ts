import * as Result from "effect/Result"
import { parseTemplate } from "./parse.ts"
import { templateVariables } from "./variables.ts"

/**
 * The body of a folder automation without a custom payload. Every key is present, in a fixed order: a missing string is `""`, a
 * missing duration null.
 */
export const defaultTemplate = Result.getOrThrow(
  parseTemplate(
    '{"event":"{{event}}","timestamp":"{{timestamp}}","recording":{"id":"{{recording.id}}","title":"{{recording.title}}",' +
      '"url":"{{recording.url}}","video_url":"{{recording.video_url}}","thumbnail_url":"{{recording.thumbnail_url}}",' +
      '"customer_email":"{{recording.customer_email}}","duration":{{recording.duration}},"browser":"{{recording.browser}}",' +
      '"os":"{{recording.os}}","console_errors":{{recording.console_errors}},"network_errors":{{recording.network_errors}},' +
      '"created_at":"{{recording.created_at}}"},"folder":{"id":"{{folder.id}}","name":"{{folder.name}}"},' +
      '"account":{"id":"{{account.id}}","name":"{{account.name}}"}}',
    templateVariables
  )
)
