import type { Page } from "./page.ts"

/** Pages that change the browser's own objects, and use what is around them. */
export const environments: ReadonlyArray<Page> = [
  {
    name: "fakes-its-timers",
    logs: ["while time stands still"],
    script: async (see) => {
      const real = { setTimeout, setInterval, clearInterval, Date, now: performance.now }
      const calls: Array<string> = []
      const fake = (name: string) => () => calls.push(name)
      Object.assign(window, {
        setTimeout: fake("setTimeout"),
        setInterval: fake("setInterval"),
        clearInterval: fake("clearInterval"),
        Date: Object.assign(fake("Date"), { now: () => calls.push("now") })
      })
      performance.now = fake("performance.now")
      console.log("while time stands still", { a: 1 })
      await fetch("/echo")
      history.pushState(null, "", "?faked")
      document.body.click()
      const seen = [...calls]
      Object.assign(window, { ...real })
      Reflect.deleteProperty(performance, "now")
      see(seen)
    }
  },
  {
    name: "freezes-everything",
    logs: ["from a frozen page"],
    script: async (see) => {
      const all = [
        Object,
        Array,
        Function,
        Promise,
        Map,
        Error,
        String,
        RegExp,
        Element,
        Node,
        EventTarget,
        Response,
        Headers,
        Request
      ]
      for (const each of all) Object.freeze(each.prototype)
      for (const each of [
        Reflect,
        JSON,
        Math,
        Object,
        Promise,
        console,
        fetch,
        XMLHttpRequest.prototype,
        History.prototype
      ])
        Object.freeze(each)
      for (const name of ["fetch", "WebSocket"])
        Object.defineProperty(window, name, { writable: false, configurable: false })
      console.log("from a frozen page", { a: [1] }, new Map([[1, 2]]))
      history.pushState(null, "", "?frozen")
      document.body.click()
      see((await fetch("/echo")).status, Object.isFrozen(fetch))
    }
  },
  {
    name: "extends-lists-and-objects",
    logs: ["among extensions"],
    script: async (see) => {
      Object.assign(Array.prototype, { first: 1, toJSON: () => "a list" })
      Object.assign(Object.prototype, { extra: 1, enumerable: true })
      let read = 0
      Object.defineProperty(Object.prototype, "method", {
        configurable: true,
        get: () => {
          read += 1
        }
      })
      Object.defineProperty(Object.prototype, "headers", {
        configurable: true,
        get: () => {
          read += 1
        }
      })
      const before = read
      console.log("among extensions", { a: [1] }, [1])
      document.body.click()
      history.pushState(null, "", "?extended")
      const own = read - before
      for (const key of ["extra", "enumerable", "method", "headers"]) Reflect.deleteProperty(Object.prototype, key)
      for (const key of ["first", "toJSON"]) Reflect.deleteProperty(Array.prototype, key)
      see(own, (await fetch("/echo")).status)
    }
  },
  {
    name: "replaces-json",
    logs: ["without JSON"],
    script: (see) => {
      const { JSON } = window
      let calls = 0
      const count = () => {
        calls += 1
        return "{}"
      }
      Object.assign(window, { JSON: { parse: count, stringify: count } })
      console.log("without JSON", { a: { b: 1 } })
      Object.assign(window, { JSON })
      see(calls)
    }
  },
  {
    name: "replaces-all-names",
    logs: ["without names"],
    // Before the redactor is loaded.
    body: `<script>for (const name of Object.keys(Object.getOwnPropertyDescriptors(window)))
      if (/^[A-Z]/.test(name) && name !== "Tapedeck") window[name] = null</script>`,
    script: (see) => {
      console.log("without names", { a: [1] })
      document.body.click()
      see(Map, Object, Element)
    }
  },
  {
    name: "patches-listeners",
    logs: ["listened"],
    script: async (see) => {
      const added: Array<string> = []
      const { addEventListener, removeEventListener } = EventTarget.prototype
      EventTarget.prototype.addEventListener = function (
        this: EventTarget,
        ...args: Parameters<typeof addEventListener>
      ) {
        added.push(args[0])
        return Reflect.apply(addEventListener, this, args)
      }
      const xhr = new XMLHttpRequest()
      xhr.open("GET", "/echo", false)
      xhr.send()
      const socket = new WebSocket(`ws://${location.host}/socket`)
      await new Promise((resolve) => {
        socket.onclose = resolve
      })
      console.log("listened")
      Object.assign(EventTarget.prototype, { addEventListener, removeEventListener })
      see(added)
    }
  },
  {
    name: "stops-events-early",
    body: '<button id="stopped">Stopped</button>',
    script: (see) => {
      const heard: Array<string> = []
      const stop = (event: Event) => event.stopImmediatePropagation()
      addEventListener("click", stop, true)
      document.addEventListener("click", () => heard.push("document"))
      document.getElementById("stopped")!.click()
      removeEventListener("click", stop, true)
      document.getElementById("stopped")!.click()
      see(heard)
    }
  },
  {
    name: "prevents-defaults",
    body: '<a id="away" href="/missing">Away</a><form id="form" action="/missing"><button>Send</button></form>',
    script: (see) => {
      const prevented: Array<boolean> = []
      addEventListener("click", (event) => event.preventDefault())
      addEventListener("submit", (event) => event.preventDefault())
      addEventListener("click", (event) => prevented.push(event.defaultPrevented, event.isTrusted))
      document.getElementById("away")!.click()
      document.querySelector("button")!.click()
      see(prevented)
    }
  },
  {
    name: "types-secrets",
    body: '<label>Name <input id="name"></label><input type="password" id="password"><div contenteditable id="rich"></div><select><option>a<option>b</select>',
    script: (see) => {
      const heard: Array<string> = []
      addEventListener("input", ({ target }) => heard.push((target as Element).id))
      for (const id of ["name", "password", "rich"]) {
        const element = document.getElementById(id) as HTMLInputElement
        element.value = "hunter2"
        element.dispatchEvent(new InputEvent("input", { bubbles: true, data: "h" }))
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))
        element.dispatchEvent(new Event("keydown", { bubbles: true }))
      }
      see(heard)
    }
  },
  {
    name: "uses-storage-and-workers",
    script: async (see) => {
      see(sessionStorage.length, Object.keys(localStorage).length)
      const url = URL.createObjectURL(
        new Blob(["postMessage(typeof fetch + typeof Tapedeck)"], { type: "text/javascript" })
      )
      const worker = new Worker(url)
      see(
        await new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data)
        })
      )
      worker.terminate()
    }
  },
  {
    name: "observes-performance",
    script: async (see) => {
      const seen: Array<string> = []
      await new Promise<void>((resolve) => {
        const observer = new PerformanceObserver((list) => {
          for (const { name } of list.getEntries())
            if (name.endsWith("/echo?observed")) resolve(void seen.push("observed"))
        })
        observer.observe({ type: "resource" })
        void fetch("/echo?observed").then((answer) => answer.text())
      })
      see(seen, performance.mark("a").name, performance.getEntriesByName("a").length)
    }
  }
]
