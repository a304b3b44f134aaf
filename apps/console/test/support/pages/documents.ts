import type { Page } from "./page.ts"

/** Pages whose elements hide properties, and those with frames, shadow roots and policies. */
export const documents: ReadonlyArray<Page> = [
  {
    name: "names-an-image-title",
    body: '<img name="title" alt=""><img name="baseURI" alt=""><img name="getElementById" alt="">',
    logs: ["?moved"],
    script: (see) => {
      history.pushState({ a: 1 }, "", "?moved")
      history.replaceState(null, "", "?again")
      see(typeof document.title, location.search, history.state)
    }
  },
  {
    name: "names-images-before",
    first:
      '<img name="currentScript" alt=""><img name="body" alt=""><img name="createElement" alt=""><img name="addEventListener" alt=""><img name="adoptedStyleSheets" alt=""><img name="title" alt="">',
    script: (see) => {
      see(`${document.body}`, `${document.addEventListener}`, `${document.title}`)
    }
  },
  {
    name: "names-fields-of-a-form",
    body: `<form id="form" aria-label="Pay">${"id classList localName closest getAttribute matches labels parentNode querySelector textContent isContentEditable assignedSlot getRootNode addEventListener"
      .split(" ")
      .map((name) => `<input name="${name}">`)
      .join("")}<p id="inside">text</p></form>`,
    logs: ["form#"],
    script: (see) => {
      let clicks = 0
      addEventListener("click", () => {
        clicks += 1
      })
      addEventListener("submit", (event) => event.preventDefault())
      const form = document.querySelector("form")!
      HTMLElement.prototype.click.call(form)
      document.getElementById("inside")!.click()
      for (const field of document.querySelectorAll("input")) {
        field.click()
        field.dispatchEvent(new Event("input", { bubbles: true }))
      }
      form.dispatchEvent(new SubmitEvent("submit", { bubbles: true, cancelable: true }))
      see(clicks, typeof form.id)
    }
  },
  {
    name: "names-elements-as-globals",
    first:
      '<a id="Tapedeck"></a><a id="URL"></a><a id="Request"></a><form name="performance"></form><a id="WebSocket"></a>',
    script: (see) => see(typeof URL, typeof Request, typeof performance.now)
  },
  {
    name: "has-variables-of-common-names",
    logs: ["/echo?variables"],
    script: async (see) => {
      const names = "URL open stop name event Node Element Request Headers setInterval innerWidth screen".split(" ")
      const before = names.map((name) => Reflect.get(window, name))
      for (const name of names) Object.assign(window, { [name]: name })
      await fetch("/echo?variables")
      const seen = names.map((name) => Reflect.get(window, name) === name)
      console.log("still", { a: 1 })
      history.pushState(null, "", "?variables")
      document.body.click()
      for (const [index, name] of names.entries()) Object.assign(window, { [name]: before[index] })
      see(seen)
    }
  },
  {
    name: "declares-globals",
    body: "<script>const Reflect = null; let JSON = 5; class Promise {}; var Proxy = undefined</script>",
    script: (see) => {
      console.log("declared", { a: [1] })
      document.body.click()
      see(typeof Proxy)
    }
  },
  {
    name: "overrides-methods-of-elements",
    body: '<x-field id="field">Field</x-field>',
    script: (see) => {
      const calls: Array<string> = []
      const note = (name: string) => () => {
        calls.push(name)
        return null
      }
      class Field extends HTMLElement {
        override getAttribute = note("getAttribute")
        override closest = note("closest") as never
        override matches = note("matches") as never
        override querySelector = note("querySelector") as never
        override getRootNode = note("getRootNode") as never
      }
      customElements.define("x-field", Field)
      document.getElementById("field")!.click()
      see(calls)
    }
  },
  {
    name: "has-shadow-roots",
    body: '<div id="open"></div><div id="closed"></div>',
    logs: ['button "Inside"'],
    script: (see) => {
      const clicked: Array<string> = []
      for (const mode of ["open", "closed"] as const) {
        const host = document.getElementById(mode)!
        const root = host.attachShadow({ mode })
        root.innerHTML = "<button>Inside</button><slot></slot>"
        root
          .querySelector("button")!
          .addEventListener("click", (event) => clicked.push(`${mode} ${event.composedPath().length}`))
        root.querySelector("button")!.click()
      }
      see(clicked, document.adoptedStyleSheets.length < 2)
    }
  },
  {
    name: "masks-across-shadow-roots",
    body: `<div id="host" data-tapedeck-mask></div><div id="slotted"><button id="light">Kim's slot</button></div>
      <button id="around">Pay <b data-tapedeck-mask>Kim's card</b><i id="icon">now</i></button>
      <label data-tapedeck-mask for="field">Kim's field</label><input id="field">
      <p id="text" data-tapedeck-mask>Kim's text</p><button id="described" aria-labelledby="text">Send</button>`,
    logs: ["the end of"],
    hides: ["Kim's"],
    script: (see) => {
      const root = document.getElementById("host")!.attachShadow({ mode: "open" })
      root.innerHTML = "<span><button aria-label=\"Kim's account\">Kim's button</button></span>"
      const inner = document.getElementById("slotted")!.attachShadow({ mode: "open" })
      inner.innerHTML = "<p data-tapedeck-mask><slot></slot></p>"
      root.querySelector("button")!.click()
      for (const id of ["light", "icon", "field", "described"]) document.getElementById(id)!.click()
      see("clicked")
    }
  },
  {
    name: "watches-its-document",
    script: async (see) => {
      const changes: Array<string> = []
      const observer = new MutationObserver((list) => changes.push(...list.map(({ type }) => type)))
      observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true })
      document.body.click()
      console.log(document.body)
      history.pushState(null, "", "?watched")
      await fetch("/echo")
      see(changes, document.querySelectorAll("tapedeck-button").length, window.length)
    }
  },
  {
    name: "sets-style-sheets",
    script: (see) => {
      const sheet = new CSSStyleSheet()
      sheet.replaceSync("h1 { color: red }")
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
      see(document.adoptedStyleSheets.includes(sheet))
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet)
      see(document.adoptedStyleSheets.includes(sheet))
    }
  },
  {
    name: "uses-another-realm",
    logs: ["/echo?realm"],
    script: async (see) => {
      const frame = document.createElement("iframe")
      document.body.append(frame)
      const other = frame.contentWindow as unknown as typeof globalThis & { eval: (code: string) => unknown }
      console.log(
        other.eval("({a: [1, new Map([[1, 2]])]})"),
        new other.Date(0),
        new other.Array(1, 2),
        new other.URL("https://a.test")
      )
      const request = new other.Request("/echo?realm", { method: "POST", body: "a", headers: { "x-realm": "1" } })
      const response = await fetch(request)
      const moved = other.document.createElement("button")
      document.body.append(moved)
      moved.click()
      see(
        response.status,
        response instanceof Response,
        (await response.text()).includes("POST"),
        other.fetch === fetch
      )
      frame.remove()
    }
  },
  {
    name: "fails-to-load",
    body: '<img id="image" alt="" src="/missing.png"><script src="/missing.js"></script><link rel="stylesheet" href="/missing.css">',
    logs: ["<img> did not load"],
    script: async (see) => {
      const failed: Array<string> = []
      const image = new Image()
      await new Promise<void>((resolve) => {
        image.onerror = () => resolve(void failed.push("detached"))
        image.src = "/missing-too.png"
      })
      see(failed)
    }
  },
  {
    name: "reports-only",
    headers: { "content-security-policy-report-only": "connect-src 'self'; img-src 'none'" },
    logs: ["after the reports"],
    script: async (see, until) => {
      const own: Array<string> = []
      document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => {
        if (!blockedURI.includes("/capture")) own.push(effectiveDirective)
      })
      document.body.append(Object.assign(new Image(), { src: "/missing.png" }))
      await fetch("/echo")
      await until(() => own.length === 1)
      console.log("after the reports")
      see(own)
    }
  },
  {
    name: "refuses-connections",
    headers: { "content-security-policy": "connect-src 'self'" },
    isCut: true,
    script: async (see) => {
      const own: Array<string> = []
      addEventListener("unhandledrejection", ({ reason }) => own.push(String(reason)))
      await fetch("https://other.test/").catch(({ name }) => own.push(name))
      see(own, (await fetch("/echo")).status)
    }
  },
  {
    name: "refuses-inline-styles",
    headers: { "content-security-policy": "style-src 'self'; object-src 'none'; base-uri 'none'" },
    logs: ["style-src"],
    script: async (see, until) => {
      const refused: Array<string> = []
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective))
      const style = document.createElement("style")
      style.textContent = "h1 { color: red }"
      document.head.append(style)
      await until(() => refused.length === 1)
      see(refused)
    }
  },
  {
    name: "requires-trusted-types",
    headers: { "content-security-policy": "require-trusted-types-for 'script'" },
    script: (see) => {
      try {
        document.body.innerHTML = "<p>a</p>"
        see("set")
      } catch (error) {
        see((error as Error).name)
      }
    }
  },
  {
    name: "isolates-itself",
    headers: {
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "permissions-policy": "geolocation=()"
    },
    script: async (see) => see(crossOriginIsolated, (await fetch("/echo")).status)
  },
  {
    name: "moves-through-its-history",
    logs: ["#two"],
    script: async (see, until) => {
      const moves: Array<string> = []
      addEventListener("hashchange", () => moves.push(location.hash))
      location.hash = "one"
      location.hash = "two"
      await until(() => moves.length === 2)
      for (const wrong of [() => 1, Symbol("s")]) {
        try {
          history.pushState(wrong, "")
        } catch (error) {
          see((error as Error).name)
        }
      }
      try {
        history.pushState(null, "", "https://other.test/")
      } catch (error) {
        see((error as Error).name)
      }
      see(moves, history.pushState({ deep: { a: [1] } }, ""), history.state)
    }
  }
]
