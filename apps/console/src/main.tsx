import { CSPProvider } from "@base-ui/react/csp-provider"
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queries } from "./api/client.ts"
import { mount } from "./api/mount.ts"
import { sessionQuery } from "./api/session.tsx"
import { router } from "./router.tsx"
import { loadFrame } from "./shell/Shell.tsx"
import { applyTheme } from "./shell/theme.ts"
import { copyVisibly } from "./ui/copyText.ts"
import { Toasts } from "./ui/Toasts.tsx"
import "./style.css"

applyTheme()
document.addEventListener("copy", copyVisibly)

/** An await at the top of a module would wait for pages whose chunks wait for the module's. */
const start = async () => {
  const place = document.getElementById("console")
  if (place === null) throw new Error("The document has no place for the console")
  if (mount.control === null) void queries.prefetchQuery(sessionQuery)
  // The data of the first screen is loaded before it is rendered, because React shows a fallback for at least 300 ms.
  await Promise.all([loadFrame(), router.load()])
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
          <Toasts />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>
  )
}

void start()
