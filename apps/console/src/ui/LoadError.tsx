import { ConnectionError } from "@tapedeck/client"
import { Page } from "./Page.tsx"
import { Problem } from "./states.tsx"

/** A browser's messages about a module that it could not load: Chromium's, Firefox's, Safari's. */
const moduleFailure =
  /^(Failed to fetch dynamically imported|error loading dynamically imported|Importing a module script)/

const reasonOf = (error: unknown): unknown =>
  error instanceof Error && moduleFailure.test(error.message)
    ? new ConnectionError("A part of the console could not be loaded. The service may be restarting.")
    : error

/** A screen whose code or data did not load. A browser may keep a module's failure until the page is loaded anew. */
export const LoadError = ({ error }: { readonly error: unknown }) => (
  <Page title="Page not loaded">
    <Problem error={reasonOf(error)} onRetry={() => window.location.reload()} />
  </Page>
)
