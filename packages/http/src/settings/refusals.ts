import {
  BadRequest,
  Conflict,
  Forbidden,
  InsufficientStorage,
  NotFound,
  PayloadTooLarge,
  Unprocessable
} from "@tapedeck/contract"

const classes = {
  ApiAccessDisabled: Forbidden,
  Conflicting: Conflict,
  Forbidden,
  Invalid: Unprocessable,
  Malformed: BadRequest,
  NotAPicture: Unprocessable,
  NotAVideo: Unprocessable,
  NotFound,
  SessionRequired: Forbidden,
  TranscriptUnreadable: Unprocessable,
  StorageFull: InsufficientStorage,
  UploadTooLarge: PayloadTooLarge
} as const

type Refusals = typeof classes

/** Core's refusal of a setting as the API's; the words are core's. */
export const refused = <Tag extends keyof Refusals>({
  _tag,
  message
}: {
  readonly _tag: Tag
  readonly message: string
}): InstanceType<Refusals[Tag]> => {
  const Refusal = classes[_tag] as unknown as new (fields: { readonly message: string }) => InstanceType<Refusals[Tag]>
  return new Refusal({ message })
}
