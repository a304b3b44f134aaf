import { apply, Element, Node, nativeOf, quietly, ShadowRoot } from "../intrinsics.ts"

const { matches } = globalThis.Element?.prototype ?? {}

/** Returns the node in which a node is displayed: a slot, its parent, or the host of its shadow root. */
const containerOf = (node: Node): Node | undefined =>
  (quietly(() => nativeOf(Element, node, "assignedSlot")) ??
    nativeOf(Node, node, "parentNode") ??
    quietly(() => nativeOf(ShadowRoot, node, "host"))) as Node | undefined

/** Returns whether an element matches the selector or is displayed inside a match, also by a slot or the host of a shadow root. */
export const liesIn = (element: Element, selector: string): boolean => {
  for (let node: Node | undefined = element; node; node = containerOf(node)) {
    if (quietly(() => apply(matches!, node, [selector]))) return true
  }
  return false
}
