/// <reference lib="dom" />
import "posthog-js/dist/posthog-recorder.js"
import "posthog-js/dist/exception-autocapture.js"
import { posthog } from "posthog-js/dist/module.no-external.js"

/** Records every session. It sends to the server that it was loaded from, which answers with the project's settings. */
const { origin } = new URL((document.currentScript as HTMLScriptElement).src)
posthog.init("bench", {
  api_host: `${origin}/posthog`,
  capture_exceptions: true,
  enable_recording_console_log: true,
  // A browser that is driven counts as a bot, of which nothing is sent.
  opt_out_useragent_filter: true
})
