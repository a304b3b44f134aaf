import type { Page } from "./page.ts"

/** Pages made with libraries, and an ordinary one. */
export const libraries: ReadonlyArray<Page> = [
  {
    name: "runs-zone",
    libraries: ["zone.js/bundles/zone.umd.min.js"],
    logs: ["in the zone"],
    script: async (see) => {
      const { Zone } = window as unknown as {
        Zone: { current: { fork(spec: object): { run(body: () => unknown): unknown } } }
      }
      const tasks: Array<string> = []
      const zone = Zone.current.fork({
        name: "watched",
        onScheduleTask: (
          delegate: { scheduleTask(target: unknown, task: unknown): unknown },
          _: unknown,
          target: unknown,
          task: { source: string }
        ) => {
          tasks.push(task.source)
          return delegate.scheduleTask(target, task)
        }
      })
      await zone.run(async () => {
        console.log("in the zone")
        document.body.click()
        await fetch("/echo")
        const xhr = new XMLHttpRequest()
        xhr.open("GET", "/echo")
        await new Promise((resolve) => {
          xhr.addEventListener("load", resolve)
          xhr.send()
        })
        await new Promise((resolve) => setTimeout(resolve, 20))
      })
      see(tasks.sort())
    }
  },
  {
    name: "runs-bluebird",
    libraries: ["bluebird/js/browser/bluebird.min.js"],
    script: async (see) => {
      const { Promise: Bluebird } = window
      see("delay" in Bluebird, fetch("/echo") instanceof Bluebird, (await Bluebird.resolve(fetch("/echo"))).status)
    }
  },
  {
    name: "runs-core-js",
    libraries: ["core-js-bundle/minified.js"],
    logs: ["with polyfills"],
    script: async (see) => {
      console.log("with polyfills", new Map([[1, new Set([2])]]), new URL("https://a.test/"), new Error("polyfilled"))
      see((await fetch("/echo")).status, structuredClone({ a: 1 }))
    }
  },
  {
    name: "runs-vue",
    body: '<div id="app"></div>',
    libraries: ["vue/dist/vue.global.prod.js"],
    logs: ["reactive"],
    script: async (see) => {
      // biome-ignore lint/suspicious/noExplicitAny: a library of the page
      const { createApp, h, nextTick, ref } = (window as any).Vue
      let renders = 0
      const count = ref(0)
      const component = {
        render: () => {
          renders += 1
          return h("button", { onClick: () => count.value++ }, `clicked ${count.value}`)
        }
      }
      createApp(component).mount("#app")
      document.querySelector("button")!.click()
      await nextTick()
      console.log("reactive", count)
      await nextTick()
      see(renders, document.querySelector("button")!.textContent)
    }
  },
  {
    name: "runs-jquery",
    body: '<button id="button">Pay</button>',
    libraries: ["jquery/dist/jquery.min.js"],
    logs: ["/echo?jquery", 'button "Pay"'],
    script: async (see) => {
      // biome-ignore lint/suspicious/noExplicitAny: a library of the page
      const { jQuery } = window as any
      const heard: Array<string> = []
      jQuery("#button")
        .on("click", () => heard.push("click"))
        .trigger("click")
      document.getElementById("button")!.click()
      const answer = await jQuery.ajax({
        url: "/echo?jquery",
        method: "POST",
        data: { a: 1 },
        headers: { "x-a": "1" },
        dataType: "json"
      })
      await jQuery.ajax({ url: "/missing" }).catch(({ status }: { status: number }) => heard.push(String(status)))
      see(heard, answer.body, answer.headers["x-a"])
    }
  },
  {
    name: "runs-axios",
    libraries: ["axios/dist/axios.min.js"],
    logs: ["/echo?axios", "Request failed with status code 404"],
    script: async (see) => {
      // biome-ignore lint/suspicious/noExplicitAny: a library of the page
      const { axios } = window as any
      for (const adapter of ["xhr", "fetch"]) {
        const { data } = await axios.post("/echo?axios", { a: 1 }, { adapter, headers: { "x-a": "1" } })
        see(data.body, data.headers["x-a"])
        await axios.get("/missing", { adapter }).catch((error: Error) => {
          console.error(error)
          see(error.message)
        })
      }
    }
  },
  {
    name: "runs-knockout",
    body: '<span id="text" data-bind="text: text"></span>',
    libraries: ["knockout/build/output/knockout-latest.js"],
    script: (see) => {
      // biome-ignore lint/suspicious/noExplicitAny: a library of the page
      const { ko } = window as any
      const text = ko.observable("a")
      ko.applyBindings({ text })
      let evaluations = 0
      ko.computed(() => {
        evaluations += 1
        console.log({ text })
        return 1
      })
      text("b")
      see(document.getElementById("text")!.textContent, evaluations)
    }
  },
  {
    name: "runs-fetch-polyfill",
    libraries: ["whatwg-fetch/dist/fetch.umd.js"],
    logs: ["/echo?polyfill"],
    script: async (see) => {
      // biome-ignore lint/suspicious/noExplicitAny: a library of the page
      const { fetch: polyfill } = (window as any).WHATWGFetch
      const answer = await (
        await polyfill("/echo?polyfill", { method: "POST", body: "b", headers: { "x-a": "1" } })
      ).json()
      see(answer.body, answer.headers["x-a"], polyfill === fetch)
    }
  },
  {
    name: "runs-sinon",
    libraries: ["sinon/pkg/sinon.js"],
    logs: ["with a fake clock"],
    script: async (see) => {
      // biome-ignore lint/suspicious/noExplicitAny: a library of the page
      const { sinon } = window as any
      const clock = sinon.useFakeTimers({ now: 0, shouldClearNativeTimers: true })
      console.log("with a fake clock", Date.now())
      document.body.click()
      see(clock.countTimers(), Date.now(), performance.now())
      clock.tick(60_000)
      see(clock.countTimers())
      clock.restore()
      const spy = sinon.spy(console, "warn")
      console.warn("spied")
      see(spy.callCount)
      spy.restore()
    }
  },
  {
    name: "is-an-ordinary-shop",
    body: '<h1>Shop</h1><a id="cart" href="#cart">Cart</a><button id="pay">Pay now</button><label>Coupon <input id="coupon"></label>',
    logs: ["the cart has 2 items", 'link "Cart"', "checkout is broken", "/missing"],
    script: async (see) => {
      console.info("the cart has %d items", 2)
      document.getElementById("cart")!.click()
      document.getElementById("pay")!.click()
      setTimeout(() => {
        throw new Error("checkout is broken")
      })
      const answers = await Promise.all(["/echo", "/missing"].map((url) => fetch(url)))
      await new Promise((resolve) => setTimeout(resolve, 20))
      see(
        answers.map(({ status }) => status),
        location.hash
      )
    }
  }
]
