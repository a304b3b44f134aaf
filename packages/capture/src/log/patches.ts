import { apply, construct, defineProperty, get, getOwnPropertyDescriptor, quietly, unhidden } from "../intrinsics.ts"

// biome-ignore lint/suspicious/noExplicitAny: functions of any page
export type AnyFunction = (this: any, ...args: any[]) => any

/** Called for each call or construction of a wrapped function. `proceed` makes the original call, whose result and errors are for the page. */
export type Around = (args: ReadonlyArray<unknown>, proceed: () => unknown, self: unknown) => unknown

const { addEventListener, removeEventListener } = globalThis.EventTarget.prototype
const functionText = Function.prototype.toString

/** Adds a listener to an object of the browser, even if the page has replaced its `addEventListener`. */
export const listen = (target: EventTarget, type: string, listener: (event: never) => void, options?: object) =>
  apply(addEventListener, target, [type, (event: Event) => void quietly(() => listener(event as never)), options])

/**
 * Wraps functions of the page. A wrapped function is a proxy of the original, with its `this`, name, length, prototype, static properties,
 * `new`, subclasses and result of `toString`.
 */
export class Patches {
  readonly #undo: Array<() => void> = []
  #isActive = true

  /** Wraps a method. A method that cannot be replaced is left unchanged. */
  method(target: object, name: string, around: Around) {
    this.#replace(target, name, (original) => this.#proxy(original, around))
  }

  /** Wraps a class, including the `constructor` of its prototype. */
  constructorOf(target: object, name: string, around: Around) {
    this.#replace(target, name, (original) => {
      const proxy = this.#proxy(original, around)
      this.#replace(original.prototype, "constructor", () => proxy)
      return proxy
    })
  }

  /**
   * Listens while the patches are in place, before the listeners of the page. Events that the page creates have the properties of their
   * class; events of another class are ignored.
   */
  listen<E extends Event>(
    target: EventTarget,
    type: string,
    of: { readonly prototype: E },
    listener: (event: E) => void
  ) {
    const quiet = (event: E) => void quietly(() => listener(unhidden(event, of)))
    const options = { capture: true, passive: true }
    apply(addEventListener, target, [type, quiet, options])
    this.#undo.push(() => apply(removeEventListener, target, [type, quiet, options]))
  }

  /** Registers a function that runs at the end. */
  defer(undo: () => void) {
    this.#undo.push(undo)
  }

  /**
   * Restores everything. If another script has wrapped a function in the meantime, its wrapper stays, and the wrapper below it only passes
   * calls on.
   */
  end() {
    this.#isActive = false
    for (const undo of this.#undo.reverse()) quietly(undo)
    this.#undo.length = 0
  }

  #proxy(original: AnyFunction, around: Around): AnyFunction {
    const text = () => apply(functionText, original, [])
    return new Proxy(original, {
      apply: (target, self, args) => {
        const proceed = () => apply(target, self, args)
        return this.#isActive ? around(args, proceed, self) : proceed()
      },
      construct: (target, args, newTarget) => {
        const proceed = () => construct(target, args, newTarget)
        return (this.#isActive ? around(args, proceed, undefined) : proceed()) as object
      },
      get: (target, key, receiver) => {
        const value = get(target, key, receiver)
        return value === functionText ? text : value
      }
    })
  }

  #replace(target: object, name: string, make: (original: AnyFunction) => AnyFunction) {
    quietly(() => {
      const before = getOwnPropertyDescriptor(target, name)
      if (typeof before?.value !== "function" || !(before.configurable || before.writable)) return
      const value = make(before.value)
      defineProperty(target, name, { ...before, value })
      this.#undo.push(() => {
        const now = getOwnPropertyDescriptor(target, name)
        if (now?.value === value) defineProperty(target, name, before)
      })
    })
  }
}
