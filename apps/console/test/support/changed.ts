import { onTestFinished } from "vitest"
import type { Console } from "./open.ts"

/** Answers of one path, changed. */
export const changed = async ({ page }: Console, path: string, change: object) => {
  await page.route(
    (url) => url.pathname.endsWith(`/api/settings${path}`),
    async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), ...change } })
    }
  )
  onTestFinished(() => page.unrouteAll({ behavior: "wait" }))
}
