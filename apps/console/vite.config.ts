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
        // What the first load needs of these, in one file: each file is a request.
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /node_modules\/(?:react|react-dom|scheduler|lucide-react|@tanstack\/[\w-]+)\/|packages\/client\/|console\/src\/(?:ui|api)\//
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
