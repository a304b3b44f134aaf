import { onTestFinished } from "vitest"
import { type Console, removeRoutes } from "./open.ts"

/** Answers of one path, changed. */
export const changed = async ({ page }: Console, path: string, change: object) => {
  await page.route(
    (url) => url.pathname.endsWith(`/api/settings${path}`),
    async (route) => {
      // The emulator closes idle connections: a request on one that it closes at that moment is sent again.
      const response = await route.fetch({ maxRetries: 3 })
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...change } })
    }
  )
  onTestFinished(() => removeRoutes(page))
}
