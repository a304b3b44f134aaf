import { Upload, type UploadOptions } from "tus-js-client"

/** A request that the client made, and where it went on from. */
export interface Sent {
  readonly method: string
  readonly offset: string | undefined
  readonly status: number
}

/** Uploads with tus-js-client, as a browser or a script would. Rejects when the client gives up. */
export const uploadWith = (
  file: Buffer,
  options: UploadOptions & { readonly as?: string; readonly onSent?: (upload: Upload) => void }
): Promise<{ readonly url: string; readonly sent: ReadonlyArray<Sent> }> => {
  const sent: Array<Sent> = []
  const { as = "bob", onSent, ...rest } = options
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      headers: { authorization: `Bearer ${as}-token` },
      retryDelays: null,
      metadata: { filename: "call.mp4", filetype: "video/webm" },
      onAfterResponse: (request, response) => {
        sent.push({
          method: request.getMethod(),
          offset: request.getHeader("Upload-Offset"),
          status: response.getStatus()
        })
      },
      onSuccess: () => resolve({ url: upload.url!, sent }),
      onError: (error) => reject(Object.assign(error, { sent })),
      onProgress: () => onSent?.(upload),
      ...rest
    })
    upload.start()
  })
}
