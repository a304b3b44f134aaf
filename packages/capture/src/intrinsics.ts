/**
 * Functions of the browser at the time when the script was loaded. Pages may replace them later by fake timers, polyfills, and variables
 * such as `var URL`.
 */
export const { apply, construct, defineProperty, get, getOwnPropertyDescriptor, getPrototypeOf } = Reflect
export const { parse, stringify } = JSON
export const {
  AbortSignal,
  clearInterval,
  CSS,
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

/** All built-in names of the language that the script and its redactor use. The build inserts them from here in both files. */
export const builtIns = {
  Array,
  Boolean,
  Date,
  encodeURIComponent,
  Error,
  Function,
  Intl,
  Map,
  Math,
  Number,
  Object,
  Promise,
  Proxy,
  RegExp,
  Set,
  String,
  Symbol,
  TextDecoder,
  TextEncoder,
  Uint8Array,
  WeakMap
}

/** Runs a function that only observes, and hides its errors from the page. */
export const quietly = <A>(observe: () => A): A | undefined => {
  try {
    return observe()
  } catch {
    return undefined
  }
}

/** Returns a property of an object as its class defines it, whatever the object itself has. Throws for an object of another class. */
export const nativeOf = (type: { readonly prototype: object }, object: unknown, key: string): unknown =>
  get(type.prototype, key, object)

/**
 * Returns an object with the properties of its class, even if names of the page hide them: of elements in a document, or of fields in a
 * form.
 */
export const unhidden = <A extends object>(object: A, { prototype }: { readonly prototype: object }): A =>
  new Proxy(object, {
    get: (target, key) => {
      const value = get(key in prototype ? prototype : getPrototypeOf(target)!, key, target)
      return typeof value === "function" ? value.bind(target) : value
    },
    set: (target, key, value) => set(prototype, key, value, target)
  })

/** Returns the document of the page. */
export const page = () => unhidden(document, Document)

/** Returns the value if it is an element of any realm, else null. */
export const elementOf = (value: unknown): HTMLElement | null =>
  quietly(() => nativeOf(Element, value, "localName")) === undefined
    ? null
    : unhidden(value as HTMLElement, HTMLElement)

/** Returns the descriptor of a property of an object or of its prototypes. Runs no getter. */
export const descriptorOf = (object: unknown, key: PropertyKey): PropertyDescriptor | undefined => {
  for (let at = object; typeof at === "object" && at !== null; at = getPrototypeOf(at)) {
    const found = getOwnPropertyDescriptor(at, key)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the value of a data property; undefined for a property with a getter. */
export const dataOf = (object: unknown, key: PropertyKey): unknown => descriptorOf(object, key)?.value
