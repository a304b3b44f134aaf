import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

export interface Scope {
  /** The only rules that run, by their id. */
  readonly rules?: ReadonlyArray<string>
  /** A selector of the part that is checked. */
  readonly within?: string
}

/** What axe finds on a page, in the colours of the moment: a rule each, with the elements. A document loads axe once. */
export const violationsIn = async (page: Page, { rules, within }: Scope = {}): Promise<ReadonlyArray<string>> => {
  if (await page.evaluate(() => !("axe" in globalThis))) await page.evaluate(source)
  const found = await page.evaluate(
    async ([selector, runOnly]) => {
      const { axe } = globalThis as unknown as { readonly axe: typeof import("axe-core") }
      const { violations } = await axe.run(selector ?? document, {
        resultTypes: ["violations"],
        iframes: false,
        ...(runOnly !== undefined && { runOnly: [...runOnly] })
      })
      return violations.map(({ id, nodes }) => ({ id, elements: nodes.map(({ html }) => html.slice(0, 160)) }))
    },
    [within, rules] as const
  )
  return found.map(({ elements, id }) => `${id}: ${elements.join(" | ")}`)
}
