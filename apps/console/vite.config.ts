import tailwindcss from "@tailwindcss/vite"
import { faultPlugins } from "@tapedeck/tsconfig/plantedFault.ts"
import react from "@vitejs/plugin-react"
import { defaultClientConditions, defineConfig } from "vite"

/** Where `pnpm dev` runs the server, whose API the page of Vite's server calls. */
const server = "http://127.0.0.1:4020"

export default defineConfig({
  // The server writes the address into `<base>`, so that one build serves `/` and any world of the emulator.
  base: "./",
  plugins: [...faultPlugins(), react(), tailwindcss()],
  resolve: { conditions: ["source", ...defaultClientConditions] },
  build: {
    target: "es2023",
    // A picture inside of a style sheet or script would need another rule of the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // A test holds the size of the first load, as it is sent.
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      input: ["index.html", "capture.html"],
      output: {
        // What the first load needs, in few files: each file is a request.
        codeSplitting: {
          groups: [
            // All that the recorder's page has in common with the console: it loads nothing else of it.
            {
              name: "shared",
              test: /vite\/preload-helper|client\/src\/tus|capture\/src\/(?:agentMessages|videoFile)|domain\/src\/(?:capture\/origins|files\/videoType|recordings\/helpdesks)/,
              priority: 2
            },
            {
              name: "base",
              test: /node_modules\/(?:react|react-dom|scheduler|lucide-react|@tanstack\/[\w-]+)\/|packages\/client\/|console\/src\/(?:ui|api)\//,
              priority: 1
            },
            // Without `main.tsx`, which stays the document's script.
            {
              name: "library",
              test: /console\/src\/(?!main)|node_modules\//,
              tags: ["$initial"],
              includeDependenciesRecursively: false
            }
          ]
        }
      }
    },
    license: { fileName: "licenses.md" }
  },
  server: {
    port: 4021,
    strictPort: true,
    proxy: Object.fromEntries(["/api", "/r/", "/sign-in", "/healthz"].map((path) => [path, server]))
  }
})
