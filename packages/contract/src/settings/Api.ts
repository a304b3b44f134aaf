import { HttpApi, OpenApi } from "effect/http-api"
import { Folders } from "./Folders.ts"

/** The settings API, below `/api/settings`: what the product's settings screens do (S1). */
export class Api extends HttpApi.make("tapedeck-settings")
  .add(Folders)
  .prefix("/api/settings")
  .annotateMerge(
    OpenApi.annotations({
      title: "Settings API",
      version: "1.0.0",
      summary: "What the settings screens do: folders, automations, the audit log, users, tokens.",
      license: { name: "MIT", identifier: "MIT" }
    })
  ) {}
