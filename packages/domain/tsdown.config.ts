import shared from "@tapedeck/tsconfig/tsdown.ts"
import { defineConfig } from "tsdown"

export default defineConfig({
  ...shared,
  entry: {
    index: "src/index.ts",
    "audit/index": "src/audit/index.ts",
    "capture/index": "src/capture/index.ts",
    "delivery/index": "src/delivery/index.ts",
    "input/index": "src/input/index.ts",
    "internal/delivery": "src/internal/delivery.ts",
    "internal/files": "src/internal/files.ts",
    "internal/jobs": "src/internal/jobs.ts",
    "internal/people": "src/internal/people.ts",
    "internal/presets": "src/internal/presets.ts",
    "internal/receivers": "src/internal/receivers.ts",
    "internal/recordings": "src/internal/recordings.ts",
    "internal/text": "src/internal/text.ts",
    "internal/time": "src/internal/time.ts",
    "internal/transcript": "src/internal/transcript.ts",
    "template/index": "src/template/index.ts",
    "transcript/index": "src/transcript/index.ts"
  }
})
