import { CloudUpload, Pause, Play, Trash2 } from "lucide-react"
import { Button, buttonClass } from "../ui/Button.tsx"
import { cx } from "../ui/cx.ts"
import { bytes } from "../ui/format.ts"
import { unfinishedUpload } from "./unfinishedUploads.ts"
import { useUploads } from "./uploads.ts"

/** Sends a file for a recording, with its progress. A broken upload resumes where it stopped. */
export const VideoUpload = ({ isFirst, uuid }: { readonly uuid: string; readonly isFirst: boolean }) => {
  const { abort, all, pause, resume, start } = useUploads()
  const upload = all.get(uuid)
  if (upload === undefined) {
    const unfinished = unfinishedUpload(uuid)
    const choose = (
      <label
        className={cx(
          buttonClass(isFirst ? "primary" : "plain"),
          "cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-accent"
        )}
      >
        <CloudUpload aria-hidden className="size-3.5" />
        {unfinished !== undefined ? "Choose the file" : isFirst ? "Upload a video" : "Upload another file"}
        <input
          type="file"
          className="sr-only"
          accept="video/webm,video/mp4,video/quicktime"
          onChange={({ target }) => {
            const file = target.files?.[0]
            // The same file can be chosen again.
            target.value = ""
            if (file !== undefined) void start(uuid, file)
          }}
        />
      </label>
    )
    if (unfinished === undefined) return choose
    return (
      <div className="flex flex-wrap items-center gap-2" role="group" aria-label="Upload">
        <span className="text-xs text-soft">
          The upload of <bdi className="break-all">{unfinished.name}</bdi> was interrupted. Choose the file again to go
          on.
        </span>
        {choose}
        <Button isSmall look="danger" icon={Trash2} onClick={() => abort(uuid)}>
          Cancel the upload
        </Button>
      </div>
    )
  }
  const { isPaused, problem, sentBytes, sizeBytes } = upload
  return (
    <div className="flex flex-wrap items-center gap-2" role="group" aria-label="Upload">
      <progress
        aria-label="Uploaded"
        max={sizeBytes}
        {...(upload.control === null && problem === null ? {} : { value: sentBytes })}
        className="h-1.5 w-32 accent-accent-strong"
      />
      <span role="status" className={cx("text-xs tabular", problem === null ? "text-soft" : "text-bad")}>
        {problem ?? `${bytes(sentBytes)} of ${bytes(sizeBytes)}${isPaused ? ", paused" : ""}`}
      </span>
      {isPaused || problem !== null ? (
        <Button isSmall icon={Play} onClick={() => resume(uuid)}>
          Resume
        </Button>
      ) : (
        upload.control !== null && (
          <Button isSmall icon={Pause} onClick={() => pause(uuid)}>
            Pause
          </Button>
        )
      )}
      <Button isSmall look="danger" icon={Trash2} onClick={() => abort(uuid)}>
        Cancel the upload
      </Button>
    </div>
  )
}
