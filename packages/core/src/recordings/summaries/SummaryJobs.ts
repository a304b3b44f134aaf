import type { Recording } from "@tapedeck/domain"
import { makeRedactor } from "@tapedeck/domain/capture"
import { trimOf, type VideoWork, withWork } from "@tapedeck/domain/internal/files"
import { afterFailedTry, type SummaryJob } from "@tapedeck/domain/internal/jobs"
import { readSummary, type Summary, textSourceOf, withSummary } from "@tapedeck/domain/internal/recordings"
import { shownTranscript } from "@tapedeck/domain/internal/transcript"
import { Context, Effect, Layer, Result } from "effect"
import { AuditLog } from "../../audit/AuditLog.ts"
import { changesBetween, isChange, plainField } from "../../audit/audited.ts"
import { endMediaWork } from "../../files/media/MediaWork.ts"
import { ProviderFailed } from "../../files/media/ProviderFailed.ts"
import { jobFields, jobLeaseMs, type UnfinishedJob } from "../../jobs/JobRunner.ts"
import { retryStoreCall } from "../../jobs/retryStoreCall.ts"
import { mapYielding } from "../../mapYielding.ts"
import { now } from "../../now.ts"
import { recordingChange } from "../../store/changes/changes.ts"
import { type JobClaim, type RecordingPartRepository, storeOf } from "../../store/Store.ts"
import { startOfSegments } from "../startOfTranscript.ts"
import type { Summarizer } from "./Summarizer.ts"

export type SummaryClaim = JobClaim<SummaryJob>

export interface SummaryOptions {
  /** Null: none is configured. */
  readonly summarizer: Summarizer["Service"] | null
  /** Maximum length of the transcript that the summarizer gets, in UTF-16 code units. The rest is cut. */
  readonly maxCharacters: number
}

/** Retries of the transaction that ends a try, for as long as a lease lasts: the paid answer is not lost with a restart of the database. */
const maxEndRetries = jobLeaseMs / 1_000

/** Redaction cost of a character, in characters that are read. */
const redactionCost = 8

/**
 * Runs the jobs that generate title, summary and chapters. The summarizer gets the redacted transcript, as readers see it, and the
 * redacted title. Its answer is data: nothing in it is acted on. The texts are written together with the end of the job, and only if no
 * person wrote them in the meantime.
 */
export class SummaryJobs extends Context.Service<
  SummaryJobs,
  { readonly run: (claim: SummaryClaim, options: SummaryOptions) => Effect.Effect<UnfinishedJob | void> }
>()("@tapedeck/core/SummaryJobs") {
  static readonly layer = Layer.effect(
    SummaryJobs,
    Effect.gen(function* () {
      const store = yield* storeOf("changes", "jobs", "recordingParts", "recordings", "transaction")
      const audit = yield* AuditLog

      /** Ends the job with the changed recording. */
      const end = Effect.fnUntraced(function* (
        claim: SummaryClaim,
        work: VideoWork,
        change: (recording: Recording) => Recording | "outdated"
      ) {
        const before = yield* store.recordings.byUuid(claim.job.recordingUuid)
        const changed = before && change(before)
        if (changed === "outdated") return (yield* store.jobs.postpone(claim, claim.job)) ? "postponed" : "lost"
        if (!(yield* store.jobs.finish(claim))) return "lost" as const
        yield* endMediaWork(store, claim.job.recordingUuid)
        if (before === undefined || changed === undefined) return "lost" as const
        const changes = changesBetween(audited(before), audited(changed))
        const after = withWork(isChange(changes) ? { ...changed, updatedAt: yield* now } : changed, "summarize", work)
        yield* store.recordings.save(after)
        yield* store.changes.publishOnCommit(recordingChange(after))
        if (isChange(changes)) {
          yield* audit.record({
            accountId: after.accountId,
            eventType: "recording.updated",
            status: "success",
            user: null,
            target: { type: "recording", id: after.uuid },
            changes
          })
        }
        return undefined
      })

      const failed = Effect.fnUntraced(function* (claim: SummaryClaim, { again, problem }: ProviderFailed) {
        const next = again ? afterFailedTry(claim.job, yield* now) : null
        if (next !== null) {
          if (!(yield* store.jobs.postpone(claim, next))) return "lost" as const
          // From now on it can be requested again.
          const recording = yield* store.recordings.byUuid(claim.job.recordingUuid)
          if (recording !== undefined) yield* store.changes.publishOnCommit(recordingChange(recording))
          return "postponed" as const
        }
        const work: VideoWork = { state: "given_up", problem }
        return (yield* end(claim, work, (recording) => recording)) ?? "given_up"
      })

      const generate = Effect.fnUntraced(function* (
        before: Recording,
        { maxCharacters, summarizer }: SummaryOptions
      ): Effect.fn.Return<Summary, ProviderFailed> {
        if (summarizer === null) return yield* failure("no summarizer is configured", false)
        const { endSeconds, lines } = yield* redactedLines(store.recordingParts, before, maxCharacters)
        if (lines === "") return yield* failure("the recording has no transcript", false)
        const answer = yield* summarizer.summarize({
          recordingUuid: before.uuid,
          // An earlier answer would shape the next one.
          title: textSourceOf(before, "title") === "person" ? makeTextRedactor()(before.title ?? "") : null,
          language: shownTranscript(before.transcript).language,
          transcript: lines
        })
        const made = readSummary(answer, endSeconds)
        if (made === null) return yield* failure("the model's answer is not usable", true)
        const { startSeconds } = trimOf(before) ?? { startSeconds: 0 }
        const chapters = made.chapters.map((chapter) => ({
          ...chapter,
          startSeconds: Math.ceil(chapter.startSeconds + startSeconds)
        }))
        return { ...made, chapters }
      })

      const run = Effect.fnUntraced(function* (claim: SummaryClaim, options: SummaryOptions) {
        const before = yield* store.recordings.byUuid(claim.job.recordingUuid)
        if (before === undefined) return void (yield* store.jobs.finish(claim))
        const ended = <A>(transaction: Effect.Effect<A>) =>
          retryStoreCall(transaction, { ...jobFields(claim), step: "recording the result" }, maxEndRetries)
        const made = yield* Effect.flatMap(generate(before, options), (summary) => {
          // Texts of a part that was cut off in the meantime are not written: the job runs again.
          const change = (recording: Recording) =>
            isTrimmedAlike(recording, before) ? withSummary(recording, before, summary) : "outdated"
          return ended(store.transaction(end(claim, { state: "ready" }, change)))
        }).pipe(
          // A defect counts as a failed try, so that the model is not asked again each time that the lease ends.
          Effect.catchDefect((defect) =>
            Effect.fail(
              new ProviderFailed({ reason: String(defect), problem: "an unexpected error occurred", again: true })
            )
          ),
          Effect.result
        )
        if (Result.isSuccess(made)) return made.success
        const outcome = yield* ended(store.transaction(failed(claim, made.failure)))
        yield* Effect.logWarning("texts could not be generated", {
          ...jobFields(claim),
          reason: made.failure.reason,
          outcome
        })
        return outcome
      })

      return SummaryJobs.of({ run })
    })
  )
}

const failure = (problem: string, again: boolean) => new ProviderFailed({ reason: problem, problem, again })

const isTrimmedAlike = (one: Recording, other: Recording) =>
  trimOf(one)?.startSeconds === trimOf(other)?.startSeconds && trimOf(one)?.endSeconds === trimOf(other)?.endSeconds

/** Redacts like the redactor of logs, also the customer's address. */
const makeTextRedactor = () =>
  makeRedactor({ headers: [], query_parameters: [], body_urls: [], customerEmail: null }).text

/** Returns the start of the transcript as redacted lines, and the end of the video; 0 for a legacy text, which has no times. */
const redactedLines = Effect.fnUntraced(function* (
  parts: RecordingPartRepository,
  recording: Recording,
  maxCharacters: number
) {
  const hasTimes = shownTranscript(recording.transcript).source !== "legacy"
  const segments = yield* startOfSegments(parts, recording, maxCharacters)
  const redact = makeTextRedactor()
  const texts = yield* mapYielding(
    segments.filter(({ text }) => text.trim() !== ""),
    ({ startSeconds, text }) => `${hasTimes ? `[${startSeconds}] ` : ""}${redact(text.trim())}`,
    (text) => redactionCost * text.length
  )
  const last = segments.at(-1)
  const spokenSeconds = last === undefined ? 0 : Math.max(last.endSeconds ?? 0, last.startSeconds + 1)
  return {
    lines: texts
      .join("\n")
      .slice(0, maxCharacters)
      .replace(/[\ud800-\udbff]$/, ""),
    endSeconds: hasTimes ? (recording.durationSeconds ?? spokenSeconds) : 0
  }
})

const audited = ({ generated, summary, title }: Recording) => ({
  title: plainField(title),
  summary: plainField(summary),
  chapters: { value: generated?.chapters ?? [], shown: generated?.chapters?.length ?? null }
})
