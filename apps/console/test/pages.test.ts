// Takes long: starts first.
import { test } from "vitest"
import { comparePages } from "./support/comparePages.ts"
import { openOwnTab } from "./support/open.ts"
import { groups } from "./support/pageServer.ts"

// Groups, so that none takes long where the machine is busy.
test.each(Object.keys(groups))(
  "Pages (%s) behave the same with capture.js and without it, and their logs go on",
  async (name) => {
    const page = await openOwnTab()
    await comparePages(
      name,
      (url) => page.goto(url),
      (body, arg) => page.evaluate(body as never, arg as never) as never
    )
  }
)
