import { lazyRouteComponent } from "@tanstack/react-router"

/**
 * A screen whose module is loaded when it is first opened. If that fails, the router loads the whole page anew, once: a new version
 * may have been deployed. Offline it must not, because the browser would show its own error page: the error has another message then.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw navigator.onLine ? cause : new Error("The browser is offline", { cause })
      }),
    name
  )
