/// <reference lib="dom" />
import { init, replayIntegration } from "@sentry/browser"

/** Records every session, with the SDK's defaults otherwise. It sends to the server that it was loaded from. */
const { host } = new URL((document.currentScript as HTMLScriptElement).src)
init({
  dsn: `http://bench@${host}/sentry/1`,
  integrations: [replayIntegration()],
  replaysSessionSampleRate: 1
})
