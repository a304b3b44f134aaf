import { page, quietly } from "../intrinsics.ts"
import type { Recording } from "./recording.ts"

/** Records the load of the page and its changes of address. */
export const recordNavigation = ({ add, patches }: Recording) => {
  let shown = ""
  const look = () => {
    if (location.href === shown) return
    shown = location.href
    add({ kind: "navigation", url: shown, title: page().title })
  }
  look()
  for (const name of ["pushState", "replaceState"]) {
    patches.method(History.prototype, name, (_, proceed) => {
      const result = proceed()
      quietly(look)
      return result
    })
  }
  patches.listen(window, "popstate", Event, look)
  patches.listen(window, "hashchange", Event, look)
}
