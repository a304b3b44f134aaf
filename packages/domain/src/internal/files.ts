/** Videos and pictures: their types and trims. Internal to the packages of Tapedeck: any release may change it. */

export { PictureType, pictureTypeOf } from "../files/pictureType.ts"
export { claimedUpload, isLeased, isWhole, ResumableUpload, UploadPiece } from "../files/ResumableUpload.ts"
export {
  cutLog,
  cutSegments,
  isSameRange,
  MAX_TRIM_SECONDS,
  MIN_TRIMMED_SECONDS,
  type TrimmedVideo,
  trimmedDuration,
  untrimmed,
  withTrimmed
} from "../files/trim.ts"
export {
  bestVideo,
  filesGone,
  filesOf,
  MediaWorkStates,
  ServedContentType,
  servedContentType,
  TrimState,
  trimOf,
  VideoWork,
  wholeVideo,
  withWork
} from "../files/video.ts"
export { videoHeadBytes, videoTypeOf } from "../files/videoType.ts"
