import { apply, construct, defineProperty, get, getOwnPropertyDescriptor, quietly, unhidden } from "../intrinsics.ts"

// biome-ignore lint/suspicious/noExplicitAny: functions of any page
export type AnyFunction = (this: any, ...args: any[]) => any

/** What a call or a construction of a wrapped function does. `proceed` is the original call; its result and its errors are the page's. */
export type Around = (args: ReadonlyArray<unknown>, proceed: () => unknown, self: unknown) => unknown

const { addEventListener, removeEventListener } = globalThis.EventTarget.prototype
const functionText = Function.prototype.toString

/** Listens to an object of the browser, whose own `addEventListener` the page may have replaced. */
export const listen = (target: EventTarget, type: string, listener: (event: never) => void, options?: object) =>
  apply(addEventListener, target, [type, (event: Event) => void quietly(() => listener(event as never)), options])

/**
 * Wraps functions of the page. A wrapped function is a proxy of the original: `this`, name, length, prototype, static properties,
 * `new` and subclasses are the original's, and so is what `toString` gives.
 */
export class Patches {
  readonly #undo: Array<() => void> = []
  #isActive = true

  /** Wraps a method. What cannot be replaced stays as it is. */
  method(target: object, name: string, around: Around) {
    this.#replace(target, name, (original) => this.#proxy(original, around))
  }

  /** Wraps a class, its prototype's `constructor` included. */
  constructorOf(target: object, name: string, around: Around) {
    this.#replace(target, name, (original) => {
      const proxy = this.#proxy(original, around)
      this.#replace(original.prototype, "constructor", () => proxy)
      return proxy
    })
  }

  /**
   * Listens as long as the patches are in place, before the page's own listeners. Events of the page's own have what their class
   * gives them: one of another class is left out.
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

  /** Runs at the end. */
  defer(undo: () => void) {
    this.#undo.push(undo)
  }

  /**
   * Puts everything back. Where another script has wrapped a function since, its wrapper stays, and ours below it passes calls on
   * without looking at them.
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
