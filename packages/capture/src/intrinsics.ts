/**
 * The parts of the browser that this script uses, as they were when the script was loaded. Pages replace it later: by fake timers, polyfills,
 * and variables such as `var URL`.
 */
export const { apply, construct, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
export const { parse, stringify } = JSON
export const {
  clearInterval,
  Element,
  Headers,
  HTMLElement,
  Node,
  open,
  Request,
  setInterval,
  setTimeout,
  ShadowRoot,
  URL
} = globalThis
export const wallClock = Date.now
const { set } = Reflect
const { Document } = globalThis

/** Runs what only observes. An error in it is ours, and the page never sees it. */
export const quietly = <A>(observe: () => A): A | undefined => {
  try {
    return observe()
  } catch {
    return undefined
  }
}

/** A property of an object as a class defines it, whatever the object itself has. Throws for an object of another class. */
export const nativeOf = (type: { readonly prototype: object }, object: unknown, key: string): unknown =>
  get(type.prototype, key, object)

/**
 * An object with the properties that its class gives it, where names of the page hide them: of elements in a document, of fields
 * in a form.
 */
export const unhidden = <A extends object>(object: A, { prototype }: { readonly prototype: object }): A =>
  new Proxy(object, {
    get: (target, key) => {
      const value = get(key in prototype ? prototype : getPrototypeOf(target)!, key, target)
      return typeof value === "function" ? value.bind(target) : value
    },
    set: (target, key, value) => set(prototype, key, value, target)
  })

/** This document. */
export const page = () => unhidden(document, Document)

/** An element, of any realm; null: a value is none. */
export const elementOf = (value: unknown): HTMLElement | null =>
  quietly(() => nativeOf(Element, value, "localName")) === undefined
    ? null
    : unhidden(value as HTMLElement, HTMLElement)

/** The descriptor of a property, of an object or what it inherits from. Runs no getter. */
export const descriptorOf = (object: unknown, key: PropertyKey): PropertyDescriptor | undefined => {
  for (let at = object; typeof at === "object" && at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key)
    if (found !== undefined) return found
  }
  return undefined
}

/** The value of a property that is data; undefined where a getter has it. */
export const dataOf = (object: unknown, key: PropertyKey): unknown => descriptorOf(object, key)?.value
