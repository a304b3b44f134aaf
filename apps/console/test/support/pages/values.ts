import type { Page } from "./page.ts"

/** Pages that write to the console what is hard to print, and fail in unusual ways. */
export const values: ReadonlyArray<Page> = [
  {
    name: "prints-without-getters",
    logs: ['{"text": "a", "computed": (getter)'],
    script: (see) => {
      let read = 0
      const count = () => {
        read += 1
        return "read"
      }
      const value = { text: "a", toString: count, toJSON: count, valueOf: count, [Symbol.toPrimitive]: count }
      Object.defineProperty(value, "computed", { get: count, enumerable: true })
      class Tagged {
        get [Symbol.toStringTag]() {
          return count()
        }
      }
      console.log({
        text: "a",
        get computed() {
          return count()
        }
      })
      console.log(value, new Tagged(), [value], new Map([[value, value]]), Object.create(value))
      console.log("%s %o", value, value)
      see(read)
    }
  },
  {
    name: "prints-classes",
    logs: [
      "https://shop.test/a?b=1",
      "/a+/gi",
      'Map [["a", 1]]',
      'Set ["b"]',
      'Headers [["x-a", "1"]]',
      'FormData [["c", "2"]]',
      "Uint8Array(3) [1, 2, 3]",
      "<tapedeck-test>",
      "12n Symbol(s) undefined null (function)"
    ],
    script: (see) => {
      const form = new FormData()
      form.append("c", "2")
      console.log(
        new URL("https://shop.test/a?b=1"),
        /a+/gi,
        new Map([["a", 1]]),
        new Set(["b"]),
        new Headers({ "X-A": "1" })
      )
      console.log(
        form,
        new URLSearchParams("d=3"),
        new Uint8Array([1, 2, 3]),
        new DataView(new ArrayBuffer(2)),
        new Date(0)
      )
      console.log(
        document.createElement("tapedeck-test"),
        new Date(Number.NaN),
        new Response("a"),
        new Event("a"),
        window
      )
      console.log(12n, Symbol("s"), undefined, null, () => 1)
      console.log(
        new WeakMap(),
        Promise.resolve(1),
        new Blob(["a"]),
        new (class Cart {
          items = 1
        })(),
        Object.create(null)
      )
      see("printed")
    }
  },
  {
    name: "prints-errors",
    logs: [
      "TypeError: pay is no function",
      "caused by the cart",
      "first of many",
      "DataCloneError",
      "of another realm"
    ],
    script: (see) => {
      console.error(new TypeError("pay is no function", { cause: new Error("caused by the cart") }))
      console.error(new AggregateError([new Error("first of many"), 2], "several"))
      console.error("failed", new DOMException("no clone", "DataCloneError"))
      const frame = document.createElement("iframe")
      document.body.append(frame)
      const { Error: OtherError } = frame.contentWindow as unknown as { Error: ErrorConstructor }
      console.error(new OtherError("of another realm"))
      const circle = new Error("circle")
      circle.cause = circle
      console.warn(circle)
      see("printed")
    }
  },
  {
    name: "prints-what-throws",
    logs: ["(unreadable)"],
    script: (see) => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      const list = Proxy.revocable([], {})
      revoke()
      list.revoke()
      console.log(proxy, list.proxy, [proxy])
      console.log(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error("trap")
            }
          }
        )
      )
      const error = new Error("a")
      Object.defineProperty(error, "message", {
        get: () => {
          throw new Error("getter")
        }
      })
      Object.defineProperty(error, "stack", {
        get: () => {
          throw new Error("getter")
        }
      })
      console.error(error)
      see("printed")
    }
  },
  {
    name: "prints-much",
    // The driver of the browser would print it all.
    first: "<script>console.log = () => {}</script>",
    logs: ["Uint8Array(50000000) [0, 0", "[1, 1, 1"],
    script: (see) => {
      console.log(new Uint8Array(50e6))
      console.log(new Array(1e6).fill(1))
      console.log(new Set(new Array(1e5).fill(0).map((_, index) => index)), new Float64Array(1e6))
      console.log("x".repeat(20e6))
      console.log(..."x".repeat(10_000))
      see("printed")
    }
  },
  {
    name: "prints-what-no-store-keeps",
    logs: ["nul \ufffd here", "half \ufffd here"],
    script: (see) => {
      console.log("nul \0 here")
      console.log("half \ud83d here", "\udca9")
      for (const size of [199, 200, 254, 255, 15_999, 16_000, 159_999]) console.log(`${"a".repeat(size)}💩💩`)
      console.log({ "\0": "\ud83d" })
      document.title = `${"t".repeat(254)}\ud83d`
      history.pushState({}, "", "?moved")
      see(document.title.length)
    }
  },
  {
    name: "prints-formats",
    logs: ["3 items of a cart, 50% off"],
    script: (see) => {
      see(console.log("%d items of %s, 50% off", 3, "a cart"), console.info("%c styled", "color:red"), console.debug())
      console.warn("%s %s", "only one")
      console.error("%j", { a: 1 }, "%s")
    }
  },
  {
    name: "prints-itself",
    script: (see) => {
      let calls = 0
      const { log } = console
      console.log = (...args: Array<unknown>) => {
        calls += 1
        log(...args)
      }
      const error = new Error("a")
      Object.defineProperty(error, "message", { get: () => console.warn("while it is printed") })
      console.log(error)
      see(calls)
    }
  },
  {
    name: "freezes-the-console",
    script: (see) => {
      Object.freeze(console)
      see(Object.isFrozen(console), typeof console.log, Object.keys(console).includes("log"))
      console.log("frozen")
    }
  },
  {
    name: "replaces-the-console",
    script: (see) => {
      const said: Array<unknown> = []
      const before = console
      Object.assign(window, { console: { log: (text: unknown) => said.push(text) } })
      console.log("own")
      Object.assign(window, { console: before })
      see(said)
    }
  },
  {
    name: "looks-at-functions",
    script: (see) => {
      for (const each of [
        console.log,
        fetch,
        WebSocket,
        XMLHttpRequest.prototype.send,
        history.pushState
      ] as Array<Function>) {
        see(each.name, each.length, `${each}`, Object.getOwnPropertyNames(each).sort(), typeof each)
        see(/\[native code\]/.test(Function.prototype.toString.call(each)))
      }
      see(Object.getOwnPropertyDescriptor(window, "fetch")?.writable, Object.keys(XMLHttpRequest.prototype).length)
      const descriptor = Object.getOwnPropertyDescriptor(History.prototype, "pushState")!
      see(descriptor.enumerable, descriptor.configurable, descriptor.writable)
    }
  },
  {
    name: "calls-console-anyhow",
    script: (see) => {
      const { log } = console
      see(log("alone"), log.call(null, "null"), Reflect.apply(log, {}, ["other"]), ["a", "b"].map(console.log))
      see(log.bind(console)("bound"))
    }
  },
  {
    name: "lists-its-stacks",
    logs: ["listed"],
    script: (see) => {
      Object.assign(Error, { prepareStackTrace: (_: unknown, sites: Array<unknown>) => sites })
      const error = new Error("listed")
      console.error(error)
      console.error("next", { error })
      dispatchEvent(new ErrorEvent("error", { error, message: "listed too" }))
      void Promise.reject(new Error("rejected"))
      see(Array.isArray(error.stack) || typeof error.stack)
    }
  },
  {
    name: "has-no-stacks",
    script: (see) => {
      Object.assign(Error, { stackTraceLimit: 0 })
      console.error(new Error("short"))
      Object.assign(Error, { stackTraceLimit: undefined })
      console.error(new Error("none"))
      see(new Error("a").message)
    }
  },
  {
    name: "dispatches-plain-events",
    logs: ["after all events"],
    script: (see) => {
      let seen = 0
      addEventListener("error", () => {
        seen += 1
      })
      const types =
        "error unhandledrejection click input change keydown popstate hashchange pagehide pageshow message".split(" ")
      for (const type of types) {
        dispatchEvent(new Event(type))
        document.dispatchEvent(new Event(type, { bubbles: true }))
        document.body.dispatchEvent(new CustomEvent(type, { bubbles: true, detail: 1 }))
      }
      document.dispatchEvent(new Event("securitypolicyviolation"))
      console.log("after all events")
      see(seen)
    }
  },
  {
    name: "dispatches-hostile-events",
    logs: ["after all events"],
    script: (see) => {
      let read = 0
      for (const type of ["error", "click", "keydown", "unhandledrejection", "securitypolicyviolation"]) {
        for (const key of ["message", "error", "target", "key", "reason", "blockedURI", "filename"]) {
          const event = new Event(type)
          Object.defineProperty(event, key, {
            get: () => {
              throw new Error(String(++read))
            }
          })
          ;(type === "securitypolicyviolation" ? document : window).dispatchEvent(event)
        }
      }
      const event = new ErrorEvent("error", { message: "m", error: Proxy.revocable({}, {}).proxy })
      see(dispatchEvent(event))
      console.log("after all events")
    }
  },
  {
    name: "rejects-anything",
    logs: ["Unhandled rejection: Symbol(s)"],
    script: async (see, until) => {
      const reasons: Array<string> = []
      addEventListener("unhandledrejection", (event) => {
        reasons.push(typeof event.reason)
        event.preventDefault()
      })
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      for (const reason of [undefined, null, "text", Symbol("s"), 1n, proxy, {}, new Error("e"), () => 1]) {
        void Promise.reject(reason)
      }
      await until(() => reasons.length === 9)
      see(reasons)
    }
  },
  {
    name: "throws-anything",
    script: async (see, until) => {
      const caught: Array<string> = []
      window.onerror = (message, _source, _line, _column, error) => {
        caught.push(`${message} ${typeof error}`)
        return true
      }
      for (const thrown of [undefined, null, "text", 5, new RangeError("range"), { message: "object" }]) {
        setTimeout(() => {
          throw thrown
        })
      }
      await until(() => caught.length === 6)
      window.onerror = null
      see(caught)
    }
  }
]
