import type { Page } from "./page.ts"

/** Pages that send requests. `/echo` answers with method, headers and body as JSON. */
export const requests: ReadonlyArray<Page> = [
  {
    name: "fetches-with-an-iterator",
    logs: ["/echo?iterator"],
    script: async (see) => {
      const sent = async (headers: unknown) => {
        const { headers: got } = await (await fetch("/echo?iterator", { headers: headers as HeadersInit })).json()
        return Object.entries(got).filter(([name]) => name.startsWith("x-"))
      }
      see(
        await sent(new Map([["x-map", "1"]]).entries()),
        await sent(new Map([["x-again", "1"]])),
        await sent(new Headers({ "x-c": "3" }))
      )
      function* pairs() {
        yield ["x-generated", "2"]
      }
      see(
        await sent(pairs()),
        await sent([
          ["x-list", "1"],
          ["x-list", "2"]
        ]),
        await sent({ "x-record": "1", "x-number": 5 })
      )
      let next = 0
      const once = {
        [Symbol.iterator]: () => ({
          next: () => (next++ === 0 ? { value: ["x-once", "1"], done: false } : { done: true })
        })
      }
      see(await sent(once), next)
    }
  },
  {
    name: "counts-reads-of-its-options",
    script: async (see) => {
      const reads: Array<string> = []
      const options = {}
      for (const [key, value] of Object.entries({
        method: "POST",
        headers: { "x-a": "1" },
        body: "b",
        signal: undefined
      })) {
        Object.defineProperty(options, key, {
          enumerable: true,
          get: () => {
            reads.push(key)
            return value
          }
        })
      }
      const address = {
        toString: () => {
          reads.push("address")
          return "/echo?counted"
        }
      }
      const { method, body } = await (await fetch(address as string, options)).json()
      const body2 = {
        toString: () => {
          reads.push("body")
          return "text"
        }
      }
      await fetch("/echo", { method: "POST", body: body2 as unknown as string })
      see(method, body, reads)
    }
  },
  {
    name: "proxies-its-options",
    script: async (see) => {
      const reads: Array<PropertyKey> = []
      const options = new Proxy(
        { method: "PUT", body: "b" },
        {
          get: (target, key) => {
            reads.push(String(key))
            return Reflect.get(target, key)
          }
        }
      )
      see((await (await fetch("/echo", options)).json()).method, reads.sort())
    }
  },
  {
    name: "sends-bodies",
    script: async (see) => {
      const form = new FormData()
      form.append("a", "b")
      const bodies = [
        "text",
        new URLSearchParams("a=b"),
        new Blob(["blob"]),
        new Uint8Array([65, 66]),
        new Uint8Array([67]).buffer
      ]
      for (const body of bodies) see((await (await fetch("/echo", { method: "POST", body })).json()).body)
      see((await (await fetch("/echo", { method: "POST", body: form })).json()).body.includes('name="a"'))
      const request = new Request("/echo", { method: "POST", body: "of a request" })
      const copy = request.clone()
      see((await (await fetch(request)).json()).body, request.bodyUsed, copy.bodyUsed, await copy.text())
      await fetch(request).catch((error) => see(error.name))
    }
  },
  {
    name: "reads-answers-in-pieces",
    script: async (see) => {
      const text = "x".repeat(200_000)
      const answer = await fetch("/echo", { method: "POST", body: text })
      const copy = answer.clone()
      const reader = answer.body!.getReader()
      const { value } = await reader.read()
      see(value !== undefined && value.length > 0, answer.bodyUsed)
      await reader.cancel()
      see((await copy.json()).body.length, copy.bodyUsed, answer.type, answer.redirected, answer.ok)
      const second = await fetch("/echo")
      see(second.bodyUsed, await second.text().then((got) => got.length > 10), second.bodyUsed)
      await second.text().catch((error) => see(error.name))
      const third = await fetch("/echo")
      see(third.body?.locked, (await third.arrayBuffer()).byteLength > 10)
    }
  },
  {
    name: "aborts",
    script: async (see) => {
      const controller = new AbortController()
      const first = fetch("/echo", { signal: controller.signal }).catch((error) => see(error.name))
      controller.abort()
      await first
      await fetch("/echo", { signal: controller.signal }).catch((error) => see(error.name))
      await fetch("/echo", { signal: AbortSignal.abort(new RangeError("own")) }).catch((error) =>
        see(error.name, error.message)
      )
    }
  },
  {
    name: "fails-to-fetch",
    logs: ["/echo?illegal", "http://127.0.0.1:1/"],
    script: async (see, until) => {
      const unhandled: Array<string> = []
      addEventListener("unhandledrejection", ({ reason }) => unhandled.push(reason.name))
      await fetch("http://[bad").catch((error) => see(error.name))
      await fetch("/echo?illegal", { method: "TRACE" }).catch((error) => see(error.name))
      await (fetch as unknown as () => Promise<unknown>)().catch((error) => see(error.name))
      await Reflect.apply(fetch, {}, ["/echo"]).catch((error: Error) => see(error.name))
      await fetch(Symbol("s") as unknown as string).catch((error) => see(error.name))
      await fetch("/echo", { headers: { "bad name": "1" } }).catch((error) => see(error.name))
      void fetch("http://127.0.0.1:1/")
      await until(() => unhandled.length === 1)
      see(unhandled)
    }
  },
  {
    name: "fetches-odd-addresses",
    logs: ["/echo?url", "data:text/plain"],
    script: async (see) => {
      see(
        (await fetch(new URL("/echo?url", location.href))).status,
        (await fetch(new String("/echo") as string)).status
      )
      see(
        await (await fetch("data:text/plain,hello")).text(),
        (await fetch(URL.createObjectURL(new Blob(["b"])))).status
      )
      see((await fetch("/redirect", { redirect: "manual" })).type, (await fetch("/redirect")).redirected)
      see((await fetch("/missing")).status, (await fetch("/echo", { mode: "no-cors" })).type)
      const url = new URL("/echo", location.href)
      Object.defineProperty(url, "href", { get: () => see("href was read") })
      see((await fetch(url)).status)
    }
  },
  {
    name: "keeps-its-promise",
    script: async (see) => {
      const promise = fetch("/echo")
      see(promise instanceof Promise, promise.constructor === Promise, Object.prototype.toString.call(promise))
      const order: Array<string> = []
      await Promise.all([promise.then(() => order.push("then")), promise.finally(() => order.push("finally"))])
      see(order, (await promise).status)
    }
  },
  {
    name: "patches-promises",
    script: async (see) => {
      let calls = 0
      const { then } = Promise.prototype
      Reflect.set(Promise.prototype, "then", function (this: Promise<unknown>, ...args: Parameters<typeof then>) {
        calls += 1
        return Reflect.apply(then, this, args)
      })
      const result = fetch("/echo")
      console.log("while patched")
      Reflect.set(Promise.prototype, "then", then)
      see(calls, (await result).status)
    }
  },
  {
    name: "patches-fetch",
    logs: ["/echo?patched"],
    script: async (see) => {
      const before = window.fetch
      const calls: Array<string> = []
      window.fetch = (input, init) => {
        calls.push(String(input))
        return before(input, { ...init, headers: { "x-trace": "1" } })
      }
      const { headers } = await (await fetch("/echo?patched")).json()
      await new Promise((resolve) => setTimeout(resolve, 50))
      window.fetch = before
      see(calls, headers["x-trace"])
    }
  },
  {
    name: "sends-by-xhr",
    logs: ["/echo?xhr"],
    script: async (see) => {
      for (const type of ["", "text", "json", "arraybuffer", "blob", "document"] as const) {
        const xhr = new XMLHttpRequest()
        const events: Array<string> = []
        for (const name of ["loadstart", "progress", "load", "loadend", "error"])
          xhr.addEventListener(name, () => events.push(name))
        xhr.open("POST", "/echo?xhr")
        xhr.responseType = type
        xhr.setRequestHeader("X-A", "1")
        xhr.setRequestHeader("X-A", "2")
        await new Promise((resolve) => {
          xhr.onload = () => events.push("onload")
          xhr.onloadend = resolve
          xhr.send("body")
        })
        see(
          [...new Set(events)],
          xhr.status,
          Object.prototype.toString.call(xhr.response),
          xhr.getResponseHeader("content-type")
        )
        if (type === "json") see(xhr.response.headers["x-a"])
      }
    }
  },
  {
    name: "waits-for-xhr",
    script: (see) => {
      const xhr = new XMLHttpRequest()
      xhr.open("GET", "/echo", false)
      xhr.send()
      see(xhr.status, xhr.responseText.length > 10, xhr.readyState)
      see(xhr.open("GET", "/echo", false), xhr.readyState)
      try {
        xhr.setRequestHeader("bad name", "1")
      } catch (error) {
        see((error as Error).name)
      }
      xhr.setRequestHeader("x-number", 5 as unknown as string)
      xhr.send(null)
      see(JSON.parse(xhr.responseText).headers["x-number"])
    }
  },
  {
    name: "subclasses-xhr",
    script: async (see) => {
      const calls: Array<string> = []
      class Own extends XMLHttpRequest {
        override addEventListener(...args: Array<unknown>) {
          calls.push(String(args[0]))
          return Reflect.apply(super.addEventListener, this, args)
        }
        override open(...args: Array<unknown>) {
          calls.push("open")
          return Reflect.apply(super.open, this, args)
        }
      }
      const xhr = new Own()
      const address = {
        toString: () => {
          calls.push("address")
          return "/echo"
        }
      }
      const method = {
        toString: () => {
          calls.push("method")
          return "PUT"
        }
      }
      xhr.open(method, address)
      const header = {
        toString: () => {
          calls.push("header")
          return "x-a"
        }
      }
      xhr.setRequestHeader(header as unknown as string, "1")
      await new Promise((resolve) => {
        xhr.onloadend = resolve
        xhr.send({
          toString: () => {
            calls.push("body")
            return "text"
          }
        } as unknown as string)
      })
      see(calls, xhr.status, xhr instanceof XMLHttpRequest)
    }
  },
  {
    name: "aborts-xhr",
    script: async (see) => {
      const events: Array<string> = []
      const xhr = new XMLHttpRequest()
      for (const name of ["abort", "error", "timeout", "load", "loadend"])
        xhr.addEventListener(name, () => events.push(name))
      xhr.open("GET", "/slow")
      xhr.send()
      xhr.abort()
      xhr.open("GET", "http://127.0.0.1:1/")
      await new Promise((resolve) => {
        xhr.onloadend = resolve
        xhr.send()
      })
      see(events)
    }
  },
  {
    name: "opens-sockets",
    logs: ["/socket"],
    script: async (see) => {
      const calls: Array<string> = []
      class Own extends WebSocket {
        override addEventListener(...args: Array<unknown>) {
          calls.push(String(args[0]))
          return Reflect.apply(super.addEventListener, this, args)
        }
      }
      const url = `ws://${location.host}/socket`
      const socket = new Own({
        toString: () => {
          calls.push("address")
          return url
        }
      } as unknown as string)
      const got: Array<unknown> = []
      socket.onmessage = ({ data }) => got.push(data)
      await new Promise((resolve) => {
        socket.onclose = resolve
      })
      see(calls, got, socket instanceof Own, socket instanceof WebSocket, socket.constructor === Own, WebSocket.CLOSED)
      for (const bad of ["nonsense:", "http://["]) {
        try {
          new WebSocket(bad)
        } catch (error) {
          see((error as Error).name)
        }
      }
      try {
        ;(WebSocket as unknown as () => void)()
      } catch (error) {
        see((error as Error).name)
      }
    }
  },
  {
    name: "sends-beacons",
    script: (see) => see(navigator.sendBeacon("/echo", "a"), navigator.sendBeacon("/echo", new Blob(["b"])))
  },
  {
    name: "has-answers-that-print-badly",
    script: async (see) => {
      const { json } = Response.prototype
      Response.prototype.json = async function () {
        return Object.freeze({ ...(await Reflect.apply(json, this, [])), own: true })
      }
      const answer = await (await fetch("/echo")).json()
      Response.prototype.json = json
      see(answer.own, Object.isFrozen(answer))
    }
  }
]
