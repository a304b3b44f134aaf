import { lazyRouteComponent } from "@tanstack/react-router"

/**
 * A screen whose module is loaded when it is first opened. If that fails, the router reloads the whole page, once, because a new
 * version may have been deployed. Offline it must not, because the browser would show its own error page: the error then has another message.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(
    () =>
      load().catch((cause: unknown) => {
        throw navigator.onLine ? cause : new Error("The browser is offline", { cause })
      }),
    name
  )
