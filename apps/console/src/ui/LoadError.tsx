import { ConnectionError } from "@tapedeck/client"
import { useEffect, useState } from "react"
import { Page } from "./Page.tsx"
import { Problem } from "./states.tsx"

/** A browser's messages about a module that it could not load: Chromium's, Firefox's, Safari's. */
const moduleFailure =
  /^(Failed to fetch dynamically imported|error loading dynamically imported|Importing a module script)/

const offline = new ConnectionError("You are offline. This screen is loaded as soon as you are back.")

const reasonOf = (error: unknown): unknown =>
  error instanceof Error && moduleFailure.test(error.message)
    ? new ConnectionError("A part of the console could not be loaded. The service may be restarting.")
    : error

const reload = () => window.location.reload()

/**
 * A screen whose code or data did not load. A browser may keep a module's failure until the page is reloaded. Offline, a
 * reload would leave nothing of the console, so the page is reloaded as soon as the browser is online.
 */
export const LoadError = ({ error }: { readonly error: unknown }) => {
  const [isOnline] = useState(navigator.onLine)
  useEffect(() => {
    if (navigator.onLine) return
    addEventListener("online", reload)
    return () => removeEventListener("online", reload)
  }, [])
  return (
    <Page title="Page not loaded">
      {isOnline ? <Problem error={reasonOf(error)} onRetry={reload} /> : <Problem error={offline} />}
    </Page>
  )
}
